import type { Instance, Logger } from '@svc/platform'
import type { Owner } from '../owner/owner.ts'
import type { FactorKind } from '../ports.ts'
import type { Factors, TotpFactor } from '../owner/factors.ts'
import { isPasscode } from './passcode.ts'
import type { Passkeys } from './passkeys.ts'
import type { LiveChallenge } from './pending-challenges.ts'
import { spendRecoveryCode } from './recovery-codes.ts'
import type { ChallengeAnswer } from './second-factor.ts'
import type { Totp } from './totp.ts'

/** A right answer. */
export interface RightAnswer {
  readonly by: FactorKind
  /** The owner with what was used up taken away; absent: nothing was. */
  readonly owner?: Owner
}

/** Compares an answer with what the owner has enrolled; writes nothing. Undefined: wrong. */
export type JudgeAnswer = (
  instance: Instance,
  owner: Owner,
  challenge: LiveChallenge,
  answer: ChallengeAnswer,
) => Promise<RightAnswer | undefined>

/** What {@link createJudgeAnswer} needs. */
export interface JudgeAnswerOptions {
  readonly totp: Totp
  readonly passkeys: Passkeys
  readonly log: Logger
}

/** One field takes the code of any factor: mailed, of the authenticator app, or a recovery code. @see decision D63 */
export function createJudgeAnswer({ totp, passkeys, log }: JudgeAnswerOptions): JudgeAnswer {
  function acceptTotp(
    instance: Instance,
    factor: TotpFactor,
    typed: string,
  ): TotpFactor | undefined {
    try {
      return totp.accept(instance, factor, typed)
    } catch (error) {
      // A secret that the keyring cannot open must not spoil the other factors.
      log.error('totp.unreadable', { instance: instance.domain, cause: String(error) })
      return undefined
    }
  }

  function judgeCode(
    instance: Instance,
    owner: Owner,
    { pending, passcode }: LiveChallenge,
    typed: string,
  ): RightAnswer | undefined {
    const factors: Factors = owner.factors ?? {}
    if (factors.mail !== undefined && pending.isMailed && isPasscode(passcode, typed)) {
      return { by: 'mail' }
    }
    const used = factors.totp && acceptTotp(instance, factors.totp, typed)
    if (used !== undefined) {
      return { by: 'totp', owner: { ...owner, factors: { ...factors, totp: used } } }
    }
    const left = factors.recovery && spendRecoveryCode(instance, factors.recovery, typed)
    if (left !== undefined) {
      return { by: 'recovery', owner: { ...owner, factors: { ...factors, recovery: left } } }
    }
    return undefined
  }

  return async function judgeAnswer(instance, owner, challenge, { passcode = '', assertion = '' }) {
    if (assertion === '') return judgeCode(instance, owner, challenge, passcode)
    const moved = await passkeys.verify(instance, owner, challenge.token, assertion)
    return moved === undefined ? undefined : { by: 'passkey', owner: moved }
  }
}
