import { noteUnknown } from '../web/activity.ts'
import { defineRoute, provedInHandler, type Route, type RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import { removeTrustedDevices } from '../factors/trusted-devices.ts'
import { type Factors, hasFactor } from '../owner/factors.ts'
import { newSecurityStamp, type Owner } from '../owner/owner.ts'
import {
  changeProfile,
  findProfile,
  isEmailToken,
  type PreviousEmail,
  type Profile,
  undoablePrevious,
} from '../owner/profile.ts'
import { newResetToken, withResetToken } from '../passphrase/reset-token.ts'
import type { AuthUiServices } from '../services.ts'
import { answerRedirect } from '../web/answer.ts'
import { clientAddress, describeVisitor, visitorOf } from '../web/visitor.ts'
import { mailUndone } from './email-mails.ts'
import { askHostOfUndo, tellHost } from './host-profile.ts'
import type { HostFieldChange } from './host-profile-option.ts'
import { EMAIL_TOKEN_SCHEMA } from './profile.schema.ts'

const BY_LINK = provedInHandler(['code'], 'profile/email-undo.ts')

/** Taking a change of the mail address back, from the mailbox of before. No session is needed, none is opened. */
export const emailUndoRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/auth/email/undo',
    handler: showUndo,
    auth: BY_LINK,
    limit: [{ bucket: 'email-token', by: clientAddress, counts: ['invalid_token'] }],
    statuses: [200, 400, 429],
    family: 'html',
    summary: 'Shows what taking the change of the mail address back does; changes nothing.',
    source: 'owner.md 1.5',
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/email/undo',
    handler: submitUndo,
    auth: BY_LINK,
    limit: [{ bucket: 'email-token', by: clientAddress, counts: ['invalid_token'] }],
    body: { types: ['form'], schema: EMAIL_TOKEN_SCHEMA },
    statuses: [200, 302, 400, 403, 413, 415, 429],
    family: 'html',
    csrf: 'token',
    activity: 'email.undone',
    summary:
      'Puts the old mail address back, ends what was opened or added since, and leads to a new passphrase.',
    source: 'owner.md 1.5, decision D82',
  }),
]

async function showUndo(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance, query } = ctx.state
  const token = query.text('token')
  const found = await findProfile(services, instance)
  const { address } = requirePrevious(found.profile, token, found.now)
  ctx.status = 200
  await services.pages.emailPage(ctx, {
    csrfToken: await services.csrf.token(ctx),
    formActionSources: [],
    kind: 'undo',
    token,
    address,
  })
}

/**
 * Grants end before the write and after it: whatever stops the server in between, no grant of a thief outlives the
 * sessions that could make another.
 */
async function submitUndo(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance, form } = ctx.state
  const token = form.text('token')
  const facts = await describeVisitor(services, visitorOf(services, ctx))
  const seen = await findProfile(services, instance)
  const previous = requirePrevious(seen.profile, token, seen.now)
  await endGrants(services, ctx, previous)
  const resetToken = newResetToken()
  let dropped: string | undefined
  let undone: HostFieldChange | undefined
  let hadPhone = false
  const restored = await changeProfile(services, instance, async (found) => {
    const { address, changedAt } = requirePrevious(found.profile, token, found.now)
    dropped = found.instance.email
    undone = {
      instance: found.instance,
      field: 'email',
      value: address,
      undone: true,
      ...(dropped !== undefined && { before: dropped }),
    }
    await askHostOfUndo(services, undone)
    const stored = await services.owners.get(instance.id)
    if (stored === undefined) throw new AuthUiError('invalid_token')
    const profile = profileBefore(found.profile, changedAt)
    hadPhone = found.profile.phone !== undefined && profile.phone === undefined
    const expiresAt = found.now + services.lifetimes.resetToken
    const owner = withResetToken(
      asBefore(stored.owner, changedAt, found.now),
      resetToken,
      expiresAt,
    )
    return {
      profile,
      update: { email: address },
      also: [
        services.owners.replace(instance.id, stored, owner),
        ...(await services.keyring.replaceSessionKey(instance)),
        // Whoever reads the old mailbox; nobody is logged in.
        ...noteUnknown(services, visitorOf(services, ctx), { event: 'email.undone' }),
      ],
    }
  })
  await tellHost(services, undone)
  services.log.info('email.undone', { domain: instance.domain, address: facts.address })
  await attempt(services, ctx, 'session key', () => services.keyring.replaced(instance))
  await attempt(services, ctx, 'grants', () => endGrants(services, ctx, previous))
  await attempt(services, ctx, 'sessions', () => services.sessions.endAll(instance, 'email_undone'))
  // They died with the stamp: only dead records would be left.
  await attempt(services, ctx, 'trusted devices', () => removeTrustedDevices(services, instance))
  const { contacts } = services.options
  if (hadPhone && contacts !== undefined) {
    await attempt(services, ctx, 'phone', () => contacts.setPhone(instance))
  }
  if (dropped !== undefined) {
    mailUndone(services, restored, facts, { kept: previous.address, dropped })
  }
  answerRedirect(ctx, `${instance.origin}/auth/passphrase_renew?token=${resetToken}`)
}

/** Texts to a number that came since the change would tell a thief what happens here. */
function profileBefore(
  { emailPending: _email, emailPrevious: _previous, phone, phonePending: _phone }: Profile,
  since: number,
): Profile {
  return phone !== undefined && phone.verifiedAt < since ? { phone } : {}
}

/**
 * The owner without what came since the change. Nobody logs in with a passphrase until a new one is chosen (D82):
 * whoever changed the address may have chosen the present one.
 */
function asBefore(owner: Owner, since: number, now: number): Owner {
  const { factors: all = {}, passphraseHash: _unusable, ...rest } = owner
  const factors = factorsBefore(all, since)
  return {
    ...rest,
    ...(hasFactor(factors) ? { factors } : {}),
    securityStamp: newSecurityStamp(now),
    updatedAt: now,
  }
}

/** Passkeys are as much of a second step as they were: that is not taken away while the change can be taken back. */
function factorsBefore(
  { mail, totp, own = [], passkeys = [], passkeyAfterPassphrase, recovery }: Factors,
  since: number,
): Factors {
  const kept = passkeys.filter(({ createdAt }) => createdAt < since)
  const ownKept = own.filter(({ createdAt }) => createdAt < since)
  return {
    ...(mail !== undefined && mail.enabledAt < since ? { mail } : {}),
    ...(totp !== undefined && totp.createdAt < since ? { totp } : {}),
    ...(ownKept.length > 0 ? { own: ownKept } : {}),
    ...(kept.length > 0 ? { passkeys: kept } : {}),
    ...(kept.length > 0 && passkeyAfterPassphrase !== undefined ? { passkeyAfterPassphrase } : {}),
    ...(recovery !== undefined && recovery.createdAt < since ? { recovery } : {}),
  }
}

async function endGrants(
  { oauth }: AuthUiServices,
  ctx: RouteContext,
  { changedAt }: PreviousEmail,
): Promise<void> {
  await oauth.clients.revokeGrants(ctx.state.instance, 'mail address put back', {
    grants: ({ createdAt, scope }) => createdAt >= changedAt || scope.split(' ').includes('*'),
  })
}

/** The change is taken back already: what fails here is told to the operator, not to the owner. */
async function attempt(
  services: AuthUiServices,
  ctx: RouteContext,
  what: string,
  work: () => Promise<unknown>,
): Promise<void> {
  await work().catch((cause: unknown) => {
    const { domain } = ctx.state.instance
    services.log.error('email.undo_unfinished', { domain, what, cause: String(cause) })
  })
}

/** @throws AuthUiError `invalid_token`, the same whatever is wrong */
function requirePrevious(profile: Profile, token: string, now: number): PreviousEmail {
  const previous = undoablePrevious(profile, now)
  if (previous === undefined || !isEmailToken(previous.undoHash, token)) {
    throw new AuthUiError('invalid_token')
  }
  return previous
}
