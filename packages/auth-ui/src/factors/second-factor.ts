import { type Instance, MINUTE_MS } from '@svc/platform'
import type { Change } from '@svc/store'
import { AuthUiError } from '../errors.ts'
import { isSecondFactorOn } from '../owner/factors.ts'
import type { Owner } from '../owner/owner.ts'
import type { AuthUiServices } from '../services.ts'
import { describeVisitor, type Visitor } from '../web/visitor.ts'
import {
  type Challenge,
  type ChallengeRequest,
  createChallenge,
  findLiveChallenge,
  type LiveChallenge,
  readChallenge,
  removeChallenge,
  replaceChallenge,
  type StoredChallenge,
  toChallenge,
} from './challenge.ts'
import { newTwoFactorToken } from './passcode.ts'

type Reading = Pick<AuthUiServices, 'clock' | 'keyring' | 'lifetimes' | 'store'>
type Services = Pick<AuthUiServices, 'limits' | 'log' | 'mailer' | 'options'> & Reading

/**
 * Opens a challenge after the passphrase was right, and mails a passcode when the mail factor is on. When that mail
 * cannot be sent and something else can answer, mail is not among the challenge's factors.
 * @throws AuthUiError `rate_limited`, `mail_failed` (then there is no challenge)
 */
export async function startChallenge(
  services: Services,
  visitor: Visitor,
  owner: Owner,
  request: ChallengeRequest,
): Promise<Challenge> {
  await services.limits.hit(visitor.instance, 'two-factor-generation')
  return open(services, visitor, owner, request)
}

/**
 * A new passcode under a new token; the old one is dead.
 * @throws AuthUiError `two_factor_expired`, `rate_limited`, `mail_failed`
 */
export async function resendPasscode(
  services: Services,
  visitor: Visitor,
  owner: Owner,
  token: string,
): Promise<Challenge> {
  const { instance } = visitor
  const live = await findOpenChallenge(services, instance, owner, token)
  if (live === undefined) throw new AuthUiError('two_factor_expired')
  await services.limits.hit(instance, 'two-factor-generation')
  return open(services, visitor, owner, live.pending.request, live)
}

/**
 * The open challenge of a token, or undefined: unknown, expired, used, replaced, of another instance or passphrase, or
 * with no tries left.
 */
export async function findChallenge(
  services: Pick<Services, 'limits' | 'options'> & Reading,
  instance: Instance,
  owner: Owner,
  token: string,
): Promise<Challenge | undefined> {
  const live = await findOpenChallenge(services, instance, owner, token)
  if (live === undefined) return undefined
  const tries = await services.limits.count(instance, 'two-factor-token', token)
  const { limit } = services.options.limits['two-factor-token']
  return tries >= limit ? undefined : toChallenge(owner, live)
}

/** A challenge that was passed within its life: what a doubled click sends again. */
export async function findUsedChallenge(
  services: Reading,
  instance: Instance,
  owner: Owner,
  token: string,
): Promise<ChallengeRequest | undefined> {
  const live = await findLiveChallenge(services, instance, owner, token)
  return live?.pending.status === 'used' ? live.pending.request : undefined
}

/** What a challenge was about, dead or alive, up to an hour later: for the recovery link. It proves nothing. */
export async function recallChallenge(
  services: Pick<AuthUiServices, 'store'>,
  instance: Instance,
  token: string,
): Promise<ChallengeRequest | undefined> {
  return (await readChallenge(services, instance, token))?.pending.request
}

/** The challenge that an answer can be given to, however many were wrong. */
export async function findOpenChallenge(
  services: Reading,
  instance: Instance,
  owner: Owner,
  token: string,
): Promise<LiveChallenge | undefined> {
  const live = await findLiveChallenge(services, instance, owner, token)
  if (live?.pending.status !== 'open') return undefined
  return isAsked(owner, live.pending.request) ? live : undefined
}

/** Whether the owner has to answer such a challenge at all: the second step may be off by now. */
export function isAsked(owner: Owner, request: ChallengeRequest | undefined): boolean {
  return request?.isFirst === true || isSecondFactorOn(owner.factors)
}

async function open(
  services: Services,
  visitor: Visitor,
  owner: Owner,
  request: ChallengeRequest,
  replaced?: StoredChallenge,
): Promise<Challenge> {
  const { store, keyring, clock, lifetimes } = services
  const { instance } = visitor
  const now = clock.now()
  const { messageKey } = await keyring.current(instance, 'session')
  const token = newTwoFactorToken(messageKey, Math.floor(now / 1000))
  const pending = {
    stamp: owner.securityStamp,
    status: 'open',
    isMailed: request.isFirst === true || owner.factors?.mail !== undefined,
    expiresAt: now + lifetimes.twoFactor,
    request,
  } as const
  const changes: Change[] = [createChallenge(instance, token, pending)]
  if (replaced !== undefined) {
    changes.push(replaceChallenge(instance, replaced, { ...replaced.pending, status: 'replaced' }))
  }
  if (!(await store.write(changes)).written) throw new AuthUiError('two_factor_expired')
  const challenge = toChallenge(owner, { token, pending })
  return pending.isMailed ? mailPasscode(services, visitor, owner, challenge) : challenge
}

async function mailPasscode(
  services: Services,
  visitor: Visitor,
  owner: Owner,
  challenge: Challenge,
): Promise<Challenge> {
  const { store, mailer, lifetimes, log } = services
  const { instance } = visitor
  const stored = await findLiveChallenge(services, instance, owner, challenge.token)
  if (stored === undefined) throw new AuthUiError('two_factor_expired')
  const { passcode } = stored
  const { purpose } = challenge
  try {
    const facts = await describeVisitor(services, visitor)
    const minutes = Math.round(lifetimes.twoFactor / MINUTE_MS)
    await mailer.send(instance, {
      template: 'two_factor',
      variables: { ...facts, minutes, passcode, purpose },
    })
    return challenge
  } catch (cause) {
    const factors = challenge.factors.filter((kind) => kind !== 'mail')
    if (factors.length === 0) {
      await store.write([removeChallenge(instance, challenge.token)])
      throw new AuthUiError('mail_failed', { cause })
    }
    // OPEN(0087): who has something else to answer with is not shut out by a mail that does not go out.
    log.error('two_factor.mail_failed', { domain: instance.domain, cause: String(cause) })
    await store.write([replaceChallenge(instance, stored, { ...stored.pending, isMailed: false })])
    return { ...challenge, factors }
  }
}
