import { prefersJson, type RouteContext } from '@svc/platform'
import type { ConfirmFlow } from '../confirm/confirm-flow.ts'
import type { ConfirmTargets } from '../confirm/confirm-targets.ts'
import { AuthUiError, type AuthUiErrorCode } from '../errors.ts'
import type { SecondFactor } from '../factors/bound.ts'
import type { Challenge, ChallengeRequest } from '../factors/challenge.ts'
import type { TrustedDevices } from '../factors/bound.ts'
import type { Owner } from '../owner/owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import { onboardedOwner } from '../owner/onboarded-owner.ts'
import type { FormProblemCode } from '../pages/page-models.ts'
import type { AnswerActivation } from '../login/activation.ts'
import type { MoveFlow } from '../move/move-flow.ts'
import { acceptedTarget, requireSameTarget } from '../login/accepted-target.ts'
import { answerJson, redirect } from '../web/answer.ts'
import type { Admit, Enter, PassedLogin } from '../login/enter.ts'
import { isTrue } from '../web/posted-flag.ts'
import type { Redirects, RedirectTarget } from '../web/redirect-target.ts'
import type { SecondStep } from '../login/second-step.ts'
import type { TwoFactorRefusals } from './two-factor-refusals.ts'

/** What {@link createTwoFactor} needs. */
export interface TwoFactorOptions {
  readonly owners: OwnerStore
  readonly secondFactor: SecondFactor
  readonly secondStep: SecondStep
  readonly trustedDevices: TrustedDevices
  readonly enter: Enter
  readonly admit: Admit
  readonly refusals: TwoFactorRefusals
  readonly redirects: Redirects
  readonly confirmTargets: ConfirmTargets
  readonly confirmFlow: ConfirmFlow
  readonly moveFlow: MoveFlow
  readonly answerActivation: AnswerActivation
}

/** The second step in a browser. */
export interface TwoFactorHandlers {
  /** `GET /auth/twofactor` */
  show(ctx: RouteContext): Promise<void>
  /** `POST /auth/twofactor` */
  submit(ctx: RouteContext): Promise<void>
  /** `POST /auth/twofactor/resend` */
  resend(ctx: RouteContext): Promise<void>
}

const TOKEN_FIELD = 'two-factor-token'

/** Order of a POST: origin, owner, redirect and other fields, limits, code, what step 1 asked for. @see login.md 5.1 */
export function createTwoFactor(options: TwoFactorOptions): TwoFactorHandlers {
  const { owners, secondFactor, secondStep, enter, redirects, refusals } = options

  async function show(ctx: RouteContext): Promise<void> {
    const owner = await onboardedOwner(owners, ctx)
    if (owner === undefined) return options.answerActivation(ctx)
    const token = ctx.state.query.text('two_factor_token')
    if (token === '') throw invalid('two_factor_token is missing')
    const challenge = await refusals.find(ctx, owner, token)
    if (challenge !== undefined) return secondStep.ask(ctx, owner, challenge)
    // The back button after a log-in gets on, too.
    const target = await targetOf(ctx, await secondFactor.recall(ctx, token), '')
    await refusals.answerDeadOrDone(ctx, owner, { token, target, status: 400 })
  }

  async function submit(ctx: RouteContext): Promise<void> {
    const { form, query } = ctx.state
    const owner = await onboardedOwner(owners, ctx)
    if (owner === undefined) return options.answerActivation(ctx)
    const token = form.text(TOKEN_FIELD)
    const about = await secondFactor.recall(ctx, token)
    if (!secondFactor.isOn(owner)) return refusals.answerStartAgain(ctx, about, isOff())
    const asked = form.text('redirect') || query.text('redirect')
    const dead = { token, target: await targetOf(ctx, about, asked), status: 401 } as const
    const challenge = await refusals.find(ctx, owner, token)
    if (challenge === undefined) return refusals.answerDeadOrDone(ctx, owner, dead)
    checkFields(ctx, challenge)
    const isMove = challenge.purpose === 'move'
    const login = loginOf(ctx, challenge, dead.target)
    try {
      const answer = {
        token,
        passcode: form.text('two-factor-passcode'),
        assertion: form.text('two-factor-assertion'),
      }
      await secondFactor.complete(ctx, owner, challenge.purpose, answer, async () => {
        // Client and address may be gone since step 1; and the host may refuse the log-in.
        if (isMove) await options.moveFlow.recall(ctx, challenge)
        else if (challenge.purpose === 'login') await options.admit(ctx, login)
      })
    } catch (error) {
      if (!AuthUiError.is(error)) throw error
      const { code } = error
      if (code === 'two_factor_expired') return refusals.answerDeadOrDone(ctx, owner, dead)
      const problem = problemOf(ctx, code)
      if (problem === undefined) throw error
      return refusals.askAgain(ctx, owner, token, error, problem)
    }
    if (isMove) return finishMove(ctx, owner, challenge)
    if (challenge.purpose === 'confirm') return finishConfirm(ctx, owner, challenge, dead.target)
    await finishLogin(ctx, owner, login)
  }

  async function resend(ctx: RouteContext): Promise<void> {
    const owner = await onboardedOwner(owners, ctx)
    if (owner === undefined) return options.answerActivation(ctx)
    const token = ctx.state.form.text(TOKEN_FIELD)
    if (!secondFactor.isOn(owner)) {
      return refusals.answerStartAgain(ctx, await secondFactor.recall(ctx, token), isOff())
    }
    const challenge = await refusals.find(ctx, owner, token)
    if (challenge === undefined) return refusals.answerDead(ctx, token, 401)
    try {
      await secondStep.ask(ctx, owner, await secondFactor.resend(ctx, owner, token))
    } catch (error) {
      if (!AuthUiError.is(error)) throw error
      if (error.code === 'two_factor_expired') return refusals.answerDead(ctx, token, 401)
      if (error.code === 'rate_limited')
        return refusals.askAgain(ctx, owner, token, error, error.code)
      if (error.code === 'mail_failed') return refusals.answerStartAgain(ctx, challenge, error)
      throw error
    }
  }

  /**
   * Where it leads: as step 1 was asked; undefined: home. A step 2 that names it as well has to agree.
   * @throws AuthUiError `bad_redirect`, `invalid_parameter`
   */
  async function targetOf(
    ctx: RouteContext,
    about: ChallengeRequest | undefined,
    asked: string,
  ): Promise<RedirectTarget | undefined> {
    if (about?.purpose === 'move') return undefined
    const { instance } = ctx.state
    const isConfirm = about?.purpose === 'confirm'
    const parse = (raw: string): Promise<RedirectTarget> =>
      isConfirm ? options.confirmTargets.parse(instance, raw) : redirects.parse(instance, raw)
    const again = asked === '' ? undefined : await parse(asked)
    if (isConfirm && about.redirect === undefined) {
      // Its page said that it leads home.
      requireSameTarget(again, (await redirects.home(instance)).href)
      return undefined
    }
    return acceptedTarget(about?.redirect, again, parse)
  }

  async function finishLogin(ctx: RouteContext, owner: Owner, login: PassedLogin): Promise<void> {
    const location = await enter(ctx, owner, { ...login, isAdmitted: true })
    if (!prefersJson(ctx)) return redirect(ctx, location)
    const isTrusted =
      isTrue(ctx.state.form.text('two-factor-generate-trusted-device-token')) &&
      login.target?.isAuthorize !== true
    // A plain form could not keep the token: only an answer to a script makes one.
    const token = isTrusted ? await options.trustedDevices.create(ctx, owner) : undefined
    answerJson(ctx, {
      redirect: location,
      ...(token === undefined ? {} : { two_factor_trusted_device_token: token }),
    })
  }

  async function finishConfirm(
    ctx: RouteContext,
    owner: Owner,
    challenge: Challenge,
    target: RedirectTarget | undefined,
  ): Promise<void> {
    const { state = '' } = challenge
    await options.confirmFlow.finish(ctx, owner, { state, redirect: target?.href })
  }

  /** SPEC: oauth.md 5.10 - JSON, but for a browser that sends the form without a script. */
  async function finishMove(ctx: RouteContext, owner: Owner, challenge: Challenge): Promise<void> {
    const request = await options.moveFlow.recall(ctx, challenge)
    const location = await options.moveFlow.finish(ctx, owner, request)
    const isPage = !prefersJson(ctx) && ctx.get('Accept').includes('text/html')
    if (isPage) redirect(ctx, location)
    else answerJson(ctx, { redirect: location })
  }

  return { show, submit, resend }
}

function loginOf(
  { state: { form } }: RouteContext,
  challenge: Challenge,
  target: RedirectTarget | undefined,
): PassedLogin {
  const longRun = form.get('long-run-session')
  const isLongRun = longRun === undefined ? challenge.isLongRun === true : isTrue(longRun)
  return { target, isLongRun, method: '2FA' }
}

/** SPEC: security.md 30 - fields that differ from what step 1 was about are refused; nothing is counted. */
function checkFields({ state: { form } }: RouteContext, challenge: Challenge): void {
  const confirm = form.text('confirm')
  const isConfirm = challenge.purpose === 'confirm'
  if (confirm !== '' && isTrue(confirm) !== isConfirm) throw invalid('confirm differs')
  const state = form.text('state')
  if (state !== '' && state !== challenge.state) throw invalid('state differs')
  const clientId = form.text('client_id')
  if (clientId !== '' && clientId !== challenge.clientId) throw invalid('client_id differs')
  const to = form.text('redirect')
  if (challenge.purpose === 'move' && to !== '' && to !== challenge.redirect)
    throw invalid('redirect differs')
}

function problemOf(
  { state: { form } }: RouteContext,
  code: AuthUiErrorCode,
): FormProblemCode | undefined {
  if (code === 'rate_limited') return code
  if (code !== 'two_factor_invalid') return undefined
  return form.text('two-factor-assertion') === '' ? code : 'passkey_failed'
}

function isOff(): AuthUiError {
  return new AuthUiError('two_factor_off')
}

function invalid(description: string): AuthUiError {
  return new AuthUiError('invalid_parameter', { description })
}
