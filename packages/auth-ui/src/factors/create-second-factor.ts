import type { Instance, Keyring, Logger, RouteContext } from '@svc/platform'
import type { Change, Store } from '@svc/store'
import { AuthUiError } from '../errors.ts'
import type { Lifetimes } from '../lifetimes.ts'
import type { Owner } from '../owner/owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import type { HostHooks, TwoFactorPurpose } from '../ports.ts'
import type { RateLimits } from '../rate-limits.ts'
import { tellHost } from '../tell-host.ts'
import { enrolledKinds, isSecondFactorOn } from '../owner/factors.ts'
import type { JudgeAnswer, RightAnswer } from './judge-answer.ts'
import { newTwoFactorToken } from './passcode.ts'
import type { LiveChallenge, PendingChallenges, StoredChallenge } from './pending-challenges.ts'
import type { Challenge, ChallengeAnswer, ChallengeRequest, SecondFactor } from './second-factor.ts'
import type { SecondFactorMails } from './second-factor-mails.ts'

/** What {@link createSecondFactor} needs. */
export interface SecondFactorOptions {
  readonly store: Store
  readonly owners: OwnerStore
  readonly pendings: PendingChallenges
  readonly judgeAnswer: JudgeAnswer
  readonly mails: SecondFactorMails
  readonly limits: RateLimits
  /** Wrong codes that end a challenge. */
  readonly triesPerChallenge: number
  readonly keyring: Keyring
  readonly clock: { now(): number }
  readonly lifetimes: Lifetimes
  readonly hooks: HostHooks
  readonly clientAddress: (ctx: RouteContext) => string
  readonly log: Logger
}

/** The owner's record and the challenge's are written together: nothing is used up by an attempt that fails. */
export function createSecondFactor(options: SecondFactorOptions): SecondFactor {
  const { store, owners, pendings, judgeAnswer, mails, limits, keyring, clock, log } = options

  async function open(
    ctx: RouteContext,
    owner: Owner,
    request: ChallengeRequest,
    replaced?: StoredChallenge,
  ): Promise<Challenge> {
    const { instance } = ctx.state
    const now = clock.now()
    const { secret } = await keyring.current(instance, 'session')
    const token = newTwoFactorToken(secret, Math.floor(now / 1000))
    const pending = {
      stamp: owner.securityStamp,
      status: 'open',
      isMailed: owner.factors?.mail !== undefined,
      expiresAt: now + options.lifetimes.twoFactor,
      request,
    } as const
    const changes: Change[] = [pendings.create(instance, token, pending)]
    if (replaced !== undefined) {
      changes.push(
        pendings.replace(instance, replaced, { ...replaced.pending, status: 'replaced' }),
      )
    }
    if (!(await store.write(changes)).written) throw new AuthUiError('two_factor_expired')
    const challenge = toChallenge(owner, { token, pending })
    return pending.isMailed ? mailPasscode(ctx, owner, challenge) : challenge
  }

  async function mailPasscode(
    ctx: RouteContext,
    owner: Owner,
    challenge: Challenge,
  ): Promise<Challenge> {
    const { instance } = ctx.state
    const stored = await pendings.live(instance, owner, challenge.token)
    if (stored === undefined) throw new AuthUiError('two_factor_expired')
    try {
      await mails.sendPasscode(ctx, challenge.purpose, stored.passcode)
      return challenge
    } catch (cause) {
      const factors = challenge.factors.filter((kind) => kind !== 'mail')
      if (factors.length === 0) {
        await store.write([pendings.remove(instance, challenge.token)])
        throw new AuthUiError('mail_failed', { cause })
      }
      // OPEN(0087): who has something else to answer with is not shut out by a mail that does not go out.
      log.error('two_factor.mail_failed', { instance: instance.domain, cause: String(cause) })
      await store.write([
        pendings.replace(instance, stored, { ...stored.pending, isMailed: false }),
      ])
      return { ...challenge, factors }
    }
  }

  async function findOpen(
    instance: Instance,
    owner: Owner,
    token: string,
  ): Promise<LiveChallenge | undefined> {
    const live = isSecondFactorOn(owner.factors)
      ? await pendings.live(instance, owner, token)
      : undefined
    return live?.pending.status === 'open' ? live : undefined
  }

  /** Counts a try before anything is compared. @returns what takes it back */
  async function reserve(instance: Instance, token: string): Promise<() => Promise<void>> {
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

  /** Undefined: it was used up, or died, by the time the answer proved right. @throws AuthUiError `two_factor_invalid` */
  async function useUp(
    instance: Instance,
    stamp: string,
    answer: ChallengeAnswer,
    admit: (() => Promise<unknown>) | undefined,
  ): Promise<{ used: LiveChallenge; right: RightAnswer; owner: Owner } | undefined> {
    for (;;) {
      const stored = await owners.get(instance.id)
      if (stored === undefined || stored.owner.securityStamp !== stamp) return undefined
      const live = await findOpen(instance, stored.owner, answer.token)
      if (live === undefined) return undefined
      const right = await judgeAnswer(instance, stored.owner, live, answer)
      if (right === undefined) throw new AuthUiError('two_factor_invalid')
      await admit?.()
      const changes = [pendings.replace(instance, live, { ...live.pending, status: 'used' })]
      if (right.owner !== undefined) {
        changes.push(owners.replace(instance.id, stored, right.owner))
      }
      const { written } = await store.write(changes)
      if (written) return { used: live, right, owner: right.owner ?? stored.owner }
    }
  }

  return {
    isOn: (owner) => isSecondFactorOn(owner.factors),

    async begin(ctx, owner, request) {
      await limits.hit(ctx.state.instance, 'two-factor-generation')
      return open(ctx, owner, request)
    },

    async find({ state: { instance } }, owner, token) {
      const live = await findOpen(instance, owner, token)
      if (live === undefined) return undefined
      const tries = await limits.count(instance, 'two-factor-token', token)
      return tries >= options.triesPerChallenge ? undefined : toChallenge(owner, live)
    },

    async findUsed({ state: { instance } }, owner, token) {
      const live = await pendings.live(instance, owner, token)
      return live?.pending.status === 'used' ? live.pending.request : undefined
    },

    async recall({ state: { instance } }, token) {
      return (await pendings.read(instance, token))?.pending.request
    },

    async complete(ctx, owner, purpose, answer, admit) {
      const { instance } = ctx.state
      const found = await findOpen(instance, owner, answer.token)
      if (found?.pending.request.purpose !== purpose) throw new AuthUiError('two_factor_expired')
      const release = await reserve(instance, answer.token).catch(async (error: unknown) => {
        await noteFailure(ctx, purpose, error)
        throw error
      })
      const attempt = useUp(instance, owner.securityStamp, answer, admit)
      const done = await attempt.catch(async (error: unknown) => {
        // Whatever else ended it was no guess.
        if (!isWrongAnswer(error)) await release()
        await noteFailure(ctx, purpose, error)
        throw error
      })
      // Right, also when another request was faster: that is no guess.
      await release()
      if (done === undefined) throw new AuthUiError('two_factor_expired')
      const { used, right } = done
      log.info('two_factor.passed', { instance: instance.domain, purpose, by: right.by })
      if (right.by === 'recovery') await mails.tellRecoveryCodeUsed(ctx, done.owner)
      return toChallenge(done.owner, used)
    },

    async resend(ctx, owner, token) {
      const { instance } = ctx.state
      const live = await findOpen(instance, owner, token)
      if (live === undefined) throw new AuthUiError('two_factor_expired')
      await limits.hit(instance, 'two-factor-generation')
      return open(ctx, owner, live.pending.request, live)
    },
  }

  async function noteFailure(
    ctx: RouteContext,
    purpose: TwoFactorPurpose,
    error: unknown,
  ): Promise<void> {
    if (!AuthUiError.is(error)) return
    const { instance } = ctx.state
    const { code } = error
    const address = options.clientAddress(ctx)
    log.info('two_factor.failed', { instance: instance.domain, purpose, code, address })
    if (!isWrongAnswer(error) && !isRateLimited(error)) return
    const userAgent = ctx.get('User-Agent')
    await tellHost(log, 'onLoginFailed', () =>
      options.hooks.onLoginFailed?.({ instance, address, userAgent, code }),
    )
  }
}

function toChallenge(
  owner: Owner,
  { token, pending }: Pick<StoredChallenge, 'token' | 'pending'>,
): Challenge {
  const { isMailed, expiresAt, request } = pending
  const factors = enrolledKinds(owner.factors).filter((kind) => kind !== 'mail' || isMailed)
  return { ...request, token, expiresAt, factors }
}

function isWrongAnswer(error: unknown): boolean {
  return AuthUiError.is(error, 'two_factor_invalid')
}

function isRateLimited(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'rate_limited'
}
