import type { Change } from '@svc/store'
import { noteUnknown } from '../web/activity.ts'
import type { AuthUiServices } from '../services.ts'
import { describeVisitor, visitorOf } from '../web/visitor.ts'
import { type Instance, MINUTE_MS, type RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { Owner } from '../owner/owner.ts'
import type { RequestFacts } from '../ports.ts'
import { isWithinLimit } from '../rate-limits.ts'
import { hasLiveReset, newResetToken, withoutResetToken, withResetToken } from './reset-token.ts'

/**
 * Mails the link to a new passphrase when there is an owner with an address, no link is under way and the limit allows
 * it; who asks cannot tell whether it was sent, by the time either. The token is stored before the mail goes out.
 * @throws AuthUiError `mail_failed`; then there is no token
 * @see login.md 5.5
 */
export async function requestReset(
  services: AuthUiServices,
  ctx: RouteContext,
  { isFromSettings }: { readonly isFromSettings: boolean },
): Promise<void> {
  const { instance } = ctx.state
  const facts = await describeVisitor(services, visitorOf(services, ctx))
  const note = noteUnknown(services, visitorOf(services, ctx), { event: 'reset.requested' })
  await services.timing.run(async () => {
    const owner = (await services.owners.get(instance.id))?.owner
    if (!canReset(services, instance, owner)) return false
    if (!(await isWithinLimit(services.limits, instance, 'passphrase-reset'))) return false
    let isSent = false
    try {
      isSent = await sendReset(services, instance, facts, isFromSettings, note)
    } finally {
      // Only mails count.
      if (!isSent) await services.limits.release(instance, 'passphrase-reset')
    }
    return isSent
  })
}

function canReset(services: AuthUiServices, instance: Instance, owner: Owner | undefined): boolean {
  if (owner?.onboardedAt === undefined || instance.email === undefined) return false
  return !hasLiveReset(owner, services.clock.now())
}

async function sendReset(
  services: AuthUiServices,
  instance: Instance,
  facts: RequestFacts,
  isFromSettings: boolean,
  note: readonly Change[],
): Promise<boolean> {
  const token = newResetToken()
  const expiresAt = services.clock.now() + services.lifetimes.resetToken
  // Of two requests at once, the second one finds the token of the first.
  const owner = await services.owners.update(
    instance.id,
    (latest) =>
      canReset(services, instance, latest) ? withResetToken(latest, token, expiresAt) : undefined,
    note,
  )
  if (owner === undefined) return false
  const from = isFromSettings ? '&from=settings' : ''
  try {
    await services.mailer.send(instance, {
      template: 'passphrase_reset',
      variables: {
        ...facts,
        url: `${instance.origin}/auth/passphrase_renew?token=${token}${from}`,
        minutes: Math.floor(services.lifetimes.resetToken / MINUTE_MS),
        losesVault: owner.keys !== undefined,
      },
    })
  } catch (cause) {
    await services.owners.update(instance.id, (latest) => withoutResetToken(latest, token))
    throw new AuthUiError('mail_failed', { cause })
  }
  services.log.info('passphrase.reset_requested', {
    domain: instance.domain,
    address: facts.address,
  })
  return true
}
