import { type Instance, type Logger, MINUTE_MS, type RouteContext } from '@svc/platform'
import { AuthUiError } from '../../errors.ts'
import type { Lifetimes } from '../../lifetimes.ts'
import type { Owner } from '../../owner/owner.ts'
import type { OwnerStore } from '../../owner/owner-store.ts'
import type { Mailer, RequestFacts } from '../../ports.ts'
import { isWithinLimit, type RateLimits } from '../../rate-limits.ts'
import type { DescribeRequest } from '../../web/request-facts.ts'
import { createPace } from './pace.ts'
import { hasLiveReset, newResetToken, withoutResetToken, withResetToken } from './reset-token.ts'

/** Mails the link to a new passphrase. */
export interface ResetMails {
  /**
   * Sends the link when there is an owner with an address, no link is under way and the limit allows it; who asks
   * cannot tell whether it was sent, by the time either.
   * @throws AuthUiError `mail_failed`; then there is no token
   */
  request(ctx: RouteContext, origin: { readonly isFromSettings: boolean }): Promise<void>
}

/** What {@link createResetMails} needs. */
export interface ResetMailsOptions {
  readonly owners: OwnerStore
  readonly limits: RateLimits
  readonly mailer: Mailer
  readonly describeRequest: DescribeRequest
  readonly lifetimes: Lifetimes
  readonly clock: { now(): number }
  readonly log: Logger
}

/** The token is stored before the mail goes out. @see login.md 5.5 */
export function createResetMails(options: ResetMailsOptions): ResetMails {
  const { owners, limits, mailer, describeRequest, lifetimes, clock, log } = options
  const pace = createPace()

  function canReset(instance: Instance, owner: Owner | undefined): boolean {
    if (owner?.onboardedAt === undefined || instance.email === undefined) return false
    return !hasLiveReset(owner, clock.now())
  }

  async function send(
    instance: Instance,
    facts: RequestFacts,
    isFromSettings: boolean,
  ): Promise<boolean> {
    const token = newResetToken()
    const expiresAt = clock.now() + lifetimes.resetToken
    // Of two requests at once, the second one finds the token of the first.
    const owner = await owners.update(instance.id, (latest) =>
      canReset(instance, latest) ? withResetToken(latest, token, expiresAt) : undefined,
    )
    if (owner === undefined) return false
    const from = isFromSettings ? '&from=settings' : ''
    try {
      await mailer.send(instance, {
        template: 'passphrase_reset',
        variables: {
          ...facts,
          url: `${instance.origin}/auth/passphrase_renew?token=${token}${from}`,
          minutes: Math.floor(lifetimes.resetToken / MINUTE_MS),
          losesVault: owner.keys !== undefined,
        },
      })
    } catch (cause) {
      await owners.update(instance.id, (latest) => withoutResetToken(latest, token))
      throw new AuthUiError('mail_failed', { cause })
    }
    log.info('passphrase.reset_requested', { instance: instance.domain, address: facts.address })
    return true
  }

  return {
    async request(ctx, { isFromSettings }) {
      const { instance } = ctx.state
      const facts = await describeRequest(ctx)
      await pace.run(async () => {
        const owner = (await owners.get(instance.id))?.owner
        if (!canReset(instance, owner)) return false
        if (!(await isWithinLimit(limits, instance, 'passphrase-reset'))) return false
        let isSent = false
        try {
          isSent = await send(instance, facts, isFromSettings)
        } finally {
          // Only mails count.
          if (!isSent) await limits.release(instance, 'passphrase-reset')
        }
        return isSent
      })
    },
  }
}
