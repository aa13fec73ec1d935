import type { Instance } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { Factors, TotpFactor } from '../owner/factors.ts'
import { sendNews } from '../owner/news.ts'
import type { Owner } from '../owner/owner.ts'
import type { FactorKind, TwoFactorPurpose } from '../ports.ts'
import type { AuthUiServices } from '../services.ts'
import { notifyHost } from '../background.ts'
import { noteOfVisitor, originOf } from '../web/activity.ts'
import { settingsUrl } from '../web/settings-app.ts'
import { describeVisitor, type Visitor } from '../web/visitor.ts'
import { type Challenge, type LiveChallenge, replaceChallenge, toChallenge } from './challenge.ts'
import { isPasscode } from './passcode.ts'
import { acceptAnyOwn } from './own-factors.ts'
import { verifyAssertion } from './passkeys.ts'
import { spendRecoveryCode } from './recovery-codes.ts'
import { findOpenChallenge } from './second-factor.ts'
import { acceptTotp } from './totp.ts'
import { parseAssertion } from './webauthn-json.ts'

/** What the owner answers with: one of the two. */
export interface ChallengeAnswer {
  readonly token: string
  /** A code of any enrolled code-like factor: mailed, of the authenticator app, or a recovery code. */
  readonly passcode?: string
  /** A WebAuthn assertion, as JSON text. */
  readonly assertion?: string
}

/** A right answer. */
interface RightAnswer {
  readonly by: FactorKind
  /** The owner with what was used up taken away; absent: nothing was. */
  readonly owner?: Owner
}

type Services = Pick<
  AuthUiServices,
  | 'apps'
  | 'background'
  | 'clock'
  | 'hooks'
  | 'keyring'
  | 'lifetimes'
  | 'limits'
  | 'log'
  | 'mailer'
  | 'oauth'
  | 'options'
  | 'owners'
  | 'store'
>

/**
 * Uses the challenge up with a right answer: of N parallel callers exactly one gets it. A code is used up in the same
 * write. Wrong answers are counted before they are compared.
 * @param authorize - asked once the answer is right; what it throws leaves everything as it was
 * @throws AuthUiError `two_factor_invalid`, `two_factor_expired`, `rate_limited`
 */
export async function completeChallenge(
  services: Services,
  visitor: Visitor,
  owner: Owner,
  purpose: TwoFactorPurpose,
  answer: ChallengeAnswer,
  authorize?: () => Promise<unknown>,
): Promise<Challenge & { readonly passed: PassedFactor }> {
  const { instance } = visitor
  const found = await findOpenChallenge(services, instance, owner, answer.token)
  if (found?.pending.request.purpose !== purpose) throw new AuthUiError('two_factor_expired')
  const release = await reserve(services, instance, answer.token).catch(async (error: unknown) => {
    await noteFailure(services, visitor, purpose, error)
    throw error
  })
  const attempt = useUp(services, visitor, owner.securityStamp, answer, authorize)
  const done = await attempt.catch(async (error: unknown) => {
    // Whatever else ended it was no guess.
    if (!isWrongAnswer(error)) await release()
    await noteFailure(services, visitor, purpose, error)
    throw error
  })
  // Right, also when another request was faster: that is no guess.
  await release()
  if (done === undefined) throw new AuthUiError('two_factor_expired')
  const { used, right } = done
  services.log.info('two_factor.passed', { domain: instance.domain, purpose, by: right.by })
  if (right.by === 'recovery') await mailRecoveryCodeUsed(services, visitor, done.owner)
  return { ...toChallenge(done.owner, used), passed: passedWith(done.owner, right.by, answer) }
}

/** What got through the second step. A type, for the index signature that JSON needs. */
export type PassedFactor = {
  readonly by: FactorKind
  /** Since when the owner has it, milliseconds since the epoch. */
  readonly since?: number
}

function passedWith(
  { factors = {} }: Owner,
  by: FactorKind,
  { assertion = '' }: ChallengeAnswer,
): PassedFactor {
  const since = enrolledSince(factors, by, assertion)
  return since === undefined ? { by } : { by, since }
}

function enrolledSince(factors: Factors, by: FactorKind, assertion: string): number | undefined {
  switch (by) {
    case 'mail':
      return factors.mail?.enabledAt
    case 'totp':
      return factors.totp?.createdAt
    case 'recovery':
      return factors.recovery?.createdAt
    case 'passkey': {
      const id = parseAssertion(assertion)?.answer.id
      return factors.passkeys?.find((passkey) => passkey.id === id)?.createdAt
    }
    default:
      return factors.own?.find(({ name }) => `x-${name}` === by)?.createdAt
  }
}

/** Counts a try before anything is compared. @returns what takes it back */
async function reserve(
  { limits }: Services,
  instance: Instance,
  token: string,
): Promise<() => Promise<void>> {
  try {
    await limits.hit(instance, 'two-factor-token', token)
  } catch (error) {
    if (!isRateLimited(error)) throw error
    throw new AuthUiError('two_factor_expired', { cause: error })
  }
  try {
    await limits.hit(instance, 'two-factor')
  } catch (error) {
    await limits.release(instance, 'two-factor-token', token)
    throw error
  }
  return async () => {
    await limits.release(instance, 'two-factor-token', token)
    await limits.release(instance, 'two-factor')
  }
}

/**
 * The owner's record and the challenge's are written together: nothing is used up by an attempt that fails. Undefined:
 * the challenge was used up, or died, by the time the answer proved right.
 * @throws AuthUiError `two_factor_invalid`
 */
async function useUp(
  services: Services,
  visitor: Visitor,
  stamp: string,
  answer: ChallengeAnswer,
  authorize: (() => Promise<unknown>) | undefined,
): Promise<{ used: LiveChallenge; right: RightAnswer; owner: Owner } | undefined> {
  const { store, owners } = services
  const { instance } = visitor
  for (;;) {
    const stored = await owners.get(instance.id)
    if (stored === undefined || stored.owner.securityStamp !== stamp) return undefined
    const live = await findOpenChallenge(services, instance, stored.owner, answer.token)
    if (live === undefined) return undefined
    const right = await compareAnswer(services, instance, stored.owner, live, answer)
    if (right === undefined) throw new AuthUiError('two_factor_invalid')
    await authorize?.()
    const changes = [replaceChallenge(instance, live, { ...live.pending, status: 'used' })]
    if (right.owner !== undefined) {
      changes.push(owners.replace(instance.id, stored, right.owner))
    }
    if (right.by === 'recovery') {
      changes.push(...noteOfVisitor(services, visitor, { event: 'recovery_code.used' }))
    }
    const { written } = await store.write(changes)
    if (written) return { used: live, right, owner: right.owner ?? stored.owner }
  }
}

/** Compares an answer with what the owner has enrolled; writes nothing. Undefined: wrong. */
async function compareAnswer(
  services: Services,
  instance: Instance,
  owner: Owner,
  challenge: LiveChallenge,
  { passcode = '', assertion = '' }: ChallengeAnswer,
): Promise<RightAnswer | undefined> {
  if (challenge.pending.request.isFirst === true) {
    return isPasscode(challenge.passcode, passcode) ? { by: 'mail' } : undefined
  }
  if (assertion === '') return compareCode(services, instance, owner, challenge, passcode)
  const used = await verifyAssertion(services, instance, owner, challenge.token, assertion)
  return used === undefined ? undefined : { by: 'passkey', owner: used }
}

/** One field takes the code of any factor: mailed, of the authenticator app, or a recovery code. @see decision D63 */
function compareCode(
  services: Services,
  instance: Instance,
  owner: Owner,
  { pending, passcode }: LiveChallenge,
  typed: string,
): RightAnswer | undefined {
  const factors: Factors = owner.factors ?? {}
  if (factors.mail !== undefined && pending.isMailed && isPasscode(passcode, typed)) {
    return { by: 'mail' }
  }
  const used = factors.totp && tryTotp(services, instance, factors.totp, typed)
  if (used !== undefined) {
    return { by: 'totp', owner: { ...owner, factors: { ...factors, totp: used } } }
  }
  const left = factors.recovery && spendRecoveryCode(instance, factors.recovery, typed)
  if (left !== undefined) {
    return { by: 'recovery', owner: { ...owner, factors: { ...factors, recovery: left } } }
  }
  // Last: the host's code never sees a code that is right for another factor.
  const own = acceptAnyOwn(services, instance, factors, typed)
  return own && { by: own.by, owner: { ...owner, factors: own.factors } }
}

function tryTotp(
  services: Services,
  instance: Instance,
  factor: TotpFactor,
  typed: string,
): TotpFactor | undefined {
  try {
    return acceptTotp(services, instance, factor, typed)
  } catch (error) {
    // A secret that the keyring cannot open must not spoil the other factors.
    services.log.error('totp.unreadable', { domain: instance.domain, cause: String(error) })
    return undefined
  }
}

/** No answer waits for the mail. */
async function mailRecoveryCodeUsed(
  services: Services,
  visitor: Visitor,
  owner: Owner,
): Promise<void> {
  const { instance } = visitor
  const left = owner.factors?.recovery?.hashes.length ?? 0
  services.log.info('recovery_code.used', { domain: instance.domain, left })
  const facts = await describeVisitor(services, visitor)
  services.background.run('mail.recovery_code_used', async () => {
    const url = await settingsUrl(services, instance, 'security')
    await sendNews(services, instance, {
      template: 'auth_mode_changed',
      variables: { ...facts, change: 'recovery_code_used', factor: 'recovery', left, url },
    })
  })
}

async function noteFailure(
  { hooks, log, oauth }: Services,
  { instance, address, userAgent }: Visitor,
  purpose: TwoFactorPurpose,
  error: unknown,
): Promise<void> {
  if (!AuthUiError.is(error)) return
  const { code } = error
  log.info('two_factor.failed', { domain: instance.domain, purpose, code, address })
  if (!isWrongAnswer(error) && !isRateLimited(error)) return
  await oauth.activity.refused(instance, {
    event: 'two_factor.failed',
    actor: { kind: 'unknown' },
    origin: originOf(address, userAgent),
    reason: code,
  })
  await notifyHost(log, 'onLoginFailed', () =>
    hooks.onLoginFailed?.({ instance, address, userAgent, code }),
  )
}

function isWrongAnswer(error: unknown): boolean {
  return AuthUiError.is(error, 'two_factor_invalid')
}

function isRateLimited(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'rate_limited'
}
