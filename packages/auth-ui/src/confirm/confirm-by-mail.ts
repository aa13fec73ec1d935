import type { RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { PassedFactor } from '../factors/challenge-answer.ts'
import type { Challenge, ChallengeRequest } from '../factors/challenge.ts'
import { startChallenge } from '../factors/second-factor.ts'
import { askSecondStep } from '../login/second-step.ts'
import { enrolledKinds, isSecondFactorOn } from '../owner/factors.ts'
import type { Owner } from '../owner/owner.ts'
import type { AuthUiServices } from '../services.ts'
import { visitorOf } from '../web/visitor.ts'
import { finishConfirm } from './finish-confirm.ts'

/**
 * Whether a code mailed to the present address stands in the place of the passphrase: nobody knows one here, and the
 * owner is logged in on this browser (not by a link that another browser asked for), so that a stranger can neither have
 * mails sent nor learn how the owner logs in.
 * @see owner.md 1.8; docs/decisions/0472
 */
export async function confirmsByMail(
  { sessionMiddleware }: Pick<AuthUiServices, 'sessionMiddleware'>,
  ctx: RouteContext,
  owner: Owner,
): Promise<boolean> {
  if (owner.passwordDefined !== false || ctx.state.instance.email === undefined) return false
  const session = await sessionMiddleware.current(ctx)
  return session !== undefined && session.isElsewhere !== true
}

/** Mails the code and asks for it. @throws AuthUiError `invalid_parameter`, `rate_limited`, `mail_failed` */
export async function askMailedCode(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  about: Pick<ChallengeRequest, 'redirect' | 'state'>,
): Promise<void> {
  if (!(await confirmsByMail(services, ctx, owner))) {
    throw new AuthUiError('invalid_parameter', { description: 'way must be absent' })
  }
  const request = { ...about, purpose: 'confirm', isFirst: true } as const
  const challenge = await startChallenge(services, visitorOf(services, ctx), owner, request)
  await askSecondStep(services, ctx, owner, challenge)
}

/** After a code: the end, or the second step behind a mailed code that stood in the place of the passphrase. */
export async function goOnConfirming(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  challenge: Challenge,
  redirect: string | undefined,
  passed: PassedFactor,
): Promise<void> {
  const { state = '', isFirst = false, withoutPassphrase = isFirst } = challenge
  const hasOther = enrolledKinds(owner.factors).some((kind) => kind !== 'mail')
  if (isFirst && hasOther && isSecondFactorOn(owner.factors)) {
    const request = {
      purpose: 'confirm',
      state,
      withoutPassphrase: true,
      ...(redirect === undefined ? {} : { redirect }),
    } as const
    const next = await startChallenge(services, visitorOf(services, ctx), owner, request)
    return askSecondStep(services, ctx, owner, next)
  }
  const how = { ...passed, ...(withoutPassphrase ? { withoutPassphrase: true as const } : {}) }
  await finishConfirm(services, ctx, owner, { state, redirect, passed: how })
}
