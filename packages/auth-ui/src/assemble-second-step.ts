import type { RouteRow } from '@svc/platform'
import { createJudgeAnswer, type JudgeAnswerOptions } from './factors/judge-answer.ts'
import {
  createPendingChallenges,
  type PendingChallengesOptions,
} from './factors/pending-challenges.ts'
import { createSecondFactor, type SecondFactorOptions } from './factors/create-second-factor.ts'
import type { SecondFactor } from './factors/second-factor.ts'
import {
  createSecondFactorMails,
  type SecondFactorMailsOptions,
} from './factors/second-factor-mails.ts'
import { createSecondStep, type SecondStepOptions } from './login/create-second-step.ts'
import type { SecondStep } from './login/second-step.ts'
import { createTwoFactor, type TwoFactorOptions } from './two-factor/two-factor.ts'
import {
  createTwoFactorRefusals,
  type TwoFactorRefusalsOptions,
} from './two-factor/two-factor-refusals.ts'
import { twoFactorRows } from './two-factor/two-factor-rows.ts'

/** What {@link assembleSecondStep} needs: the parts of `createAuthUi`. */
export interface SecondStepParts
  extends PendingChallengesOptions,
    JudgeAnswerOptions,
    SecondFactorMailsOptions,
    SecondStepOptions,
    Omit<SecondFactorOptions, 'pendings' | 'judgeAnswer' | 'mails'> {}

/** The second step of everything that has one. */
export function assembleSecondStep(parts: SecondStepParts): {
  readonly secondFactor: SecondFactor
  readonly secondStep: SecondStep
} {
  const secondFactor = createSecondFactor({
    ...parts,
    pendings: createPendingChallenges(parts),
    judgeAnswer: createJudgeAnswer(parts),
    mails: createSecondFactorMails(parts),
  })
  return { secondFactor, secondStep: createSecondStep(parts) }
}

/** The second step in a browser. */
export function assembleTwoFactor(
  parts: Omit<TwoFactorOptions, 'refusals'> & TwoFactorRefusalsOptions,
): readonly RouteRow[] {
  return twoFactorRows(createTwoFactor({ ...parts, refusals: createTwoFactorRefusals(parts) }))
}
