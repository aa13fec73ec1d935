import { noteOwn } from '../web/activity.ts'
import { SECOND_CODE_LIMITS } from '../login/passphrase-limits.ts'
import { grantMove, recallMove } from '../move/move.ts'
import type { Challenge, ChallengeRequest } from '../factors/challenge.ts'
import { RESEND_SCHEMA, TWO_FACTOR_SCHEMA } from './two-factor.schema.ts'
import {
  defineRoute,
  prefersJson,
  provedInHandler,
  type Route,
  type RouteContext,
} from '@svc/platform'
import type { AuthUiServices } from '../services.ts'
import { parseConfirmTarget } from '../confirm/finish-confirm.ts'
import { goOnConfirming } from '../confirm/confirm-by-mail.ts'
import { trustDevice } from '../factors/trusted-devices.ts'
import { deviceOf } from '../session/known-device.ts'
import {
  acceptedTarget,
  homeTarget,
  parseTarget,
  type RedirectTarget,
  requireSameTarget,
} from '../web/redirect-target.ts'
import { authorizeLogin, completeLogin, type PassedLogin } from '../login/complete-login.ts'
import { visitorOf } from '../web/visitor.ts'
import { completeChallenge, type PassedFactor } from '../factors/challenge-answer.ts'
import { isAsked, recallChallenge, resendPasscode } from '../factors/second-factor.ts'
import { askSecondStep } from '../login/second-step.ts'
import {
  answerDead,
  answerDeadOrDone,
  answerStartAgain,
  askAgain,
  findBrowserChallenge,
} from './two-factor-refusals.ts'
import { answerActivation } from '../login/activation.ts'
import { AuthUiError, type AuthUiErrorCode } from '../errors.ts'
import type { Owner } from '../owner/owner.ts'
import { onboardedOwner } from '../owner/owner-store.ts'
import type { FormProblemCode } from '../pages/page-models.ts'
import { answerJson, redirect } from '../web/answer.ts'
import { isTrue } from '../web/posted.ts'

const TOKEN_FIELD = 'two-factor-token'

/** The second step in a browser. @see login.md 5.1 */
export const twoFactorRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/auth/twofactor',
    handler: showTwoFactor,
    auth: provedInHandler(['code', 'session cookie'], 'factors/second-factor.ts'),
    statuses: [200, 302, 400, 412],
    family: 'html',
    summary:
      'Shows the form of the second step, or sends a browser that passed it on. A script of the same origin that asks for JSON gets it as data.',
    source: 'login.md 5.1',
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/twofactor',
    handler: submitTwoFactor,
    auth: provedInHandler(['code', 'session cookie'], 'factors/challenge-answer.ts'),
    limit: SECOND_CODE_LIMITS,
    body: { types: ['form'], schema: TWO_FACTOR_SCHEMA },
    statuses: [200, 302, 400, 401, 403, 412, 413, 415, 429],
    family: 'html',
    csrf: 'origin',
    activity: [
      'login.succeeded',
      'owner.confirmed',
      'device.trusted',
      'recovery_code.used',
      'two_factor.failed',
    ],
    summary: 'Takes the code of the second step, then does what the first one asked for.',
    source: 'login.md 5.1',
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/twofactor/resend',
    handler: resendTwoFactor,
    auth: provedInHandler(['code'], 'factors/second-factor.ts'),
    limit: [{ bucket: 'two-factor-generation', inRule: 'challenges; asked in resendPasscode' }],
    body: { types: ['form'], schema: RESEND_SCHEMA },
    statuses: [200, 400, 401, 403, 412, 413, 415, 429],
    family: 'html',
    csrf: 'origin',
    activity: { none: 'It only mails another code.' },
    summary: 'Mails another passcode, under another token.',
    source: 'login.md 5.1',
  }),
]

async function showTwoFactor(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const owner = await onboardedOwner(services, ctx.state.instance)
  if (owner === undefined) return answerActivation(services, ctx)
  const token = ctx.state.query.text('two_factor_token')
  if (token === '') throw invalid('two_factor_token is missing')
  const challenge = await findBrowserChallenge(services, ctx, owner, token)
  if (challenge !== undefined) return askSecondStep(services, ctx, owner, challenge)
  // The back button after a login gets on, too.
  const target = await targetOf(
    services,
    ctx,
    await recallChallenge(services, ctx.state.instance, token),
    '',
  )
  await answerDeadOrDone(services, ctx, owner, { token, target, status: 400 })
}

/** Order: origin, owner, redirect and other fields, limits, code, what step 1 asked for. */
async function submitTwoFactor(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { form, query } = ctx.state
  const owner = await onboardedOwner(services, ctx.state.instance)
  if (owner === undefined) return answerActivation(services, ctx)
  const token = form.text(TOKEN_FIELD)
  const about = await recallChallenge(services, ctx.state.instance, token)
  if (!isAsked(owner, about)) return answerStartAgain(services, ctx, about, isOff())
  const asked = form.text('redirect') || query.text('redirect')
  const dead = { token, target: await targetOf(services, ctx, about, asked), status: 401 } as const
  const challenge = await findBrowserChallenge(services, ctx, owner, token)
  if (challenge === undefined) return answerDeadOrDone(services, ctx, owner, dead)
  checkFields(ctx, challenge)
  const isMove = challenge.purpose === 'move'
  const login = loginOf(ctx, challenge, dead.target)
  let passed: PassedFactor | undefined
  try {
    const answer = {
      token,
      passcode: form.text('two-factor-passcode'),
      assertion: form.text('two-factor-assertion'),
    }
    ;({ passed } = await completeChallenge(
      services,
      visitorOf(services, ctx),
      owner,
      challenge.purpose,
      answer,
      async () => {
        // Client and address may be gone since step 1; and the host may refuse the login.
        if (isMove) await recallMove(services, ctx, challenge)
        else if (challenge.purpose === 'login') await authorizeLogin(services, ctx, login)
      },
    ))
  } catch (error) {
    if (!AuthUiError.is(error)) throw error
    const { code } = error
    if (code === 'two_factor_expired') return answerDeadOrDone(services, ctx, owner, dead)
    const problem = problemOf(ctx, code)
    if (problem === undefined) throw error
    return askAgain(services, ctx, owner, token, error, problem)
  }
  if (isMove) return finishMove(services, ctx, owner, challenge)
  if (challenge.purpose === 'confirm') {
    return goOnConfirming(services, ctx, owner, challenge, dead.target?.href, passed)
  }
  await finishLogin(services, ctx, owner, login)
}

async function resendTwoFactor(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const owner = await onboardedOwner(services, ctx.state.instance)
  if (owner === undefined) return answerActivation(services, ctx)
  const token = ctx.state.form.text(TOKEN_FIELD)
  const about = await recallChallenge(services, ctx.state.instance, token)
  if (!isAsked(owner, about)) return answerStartAgain(services, ctx, about, isOff())
  const challenge = await findBrowserChallenge(services, ctx, owner, token)
  if (challenge === undefined) return answerDead(services, ctx, token, 401)
  try {
    await askSecondStep(
      services,
      ctx,
      owner,
      await resendPasscode(services, visitorOf(services, ctx), owner, token),
    )
  } catch (error) {
    if (!AuthUiError.is(error)) throw error
    if (error.code === 'two_factor_expired') return answerDead(services, ctx, token, 401)
    if (error.code === 'rate_limited')
      return askAgain(services, ctx, owner, token, error, error.code)
    if (error.code === 'mail_failed') return answerStartAgain(services, ctx, challenge, error)
    throw error
  }
}

/**
 * Where it leads: as step 1 was asked; undefined: home. A step 2 that names it as well has to agree.
 * @throws AuthUiError `bad_redirect`, `invalid_parameter`
 */
async function targetOf(
  services: AuthUiServices,
  ctx: RouteContext,
  about: ChallengeRequest | undefined,
  asked: string,
): Promise<RedirectTarget | undefined> {
  if (about?.purpose === 'move') return undefined
  const { instance } = ctx.state
  const isConfirm = about?.purpose === 'confirm'
  const parse = (raw: string): Promise<RedirectTarget> =>
    isConfirm ? parseConfirmTarget(services, instance, raw) : parseTarget(services, instance, raw)
  const again = asked === '' ? undefined : await parse(asked)
  if (isConfirm && about.redirect === undefined) {
    // Its page said that it leads home.
    requireSameTarget(again, (await homeTarget(services, instance)).href)
    return undefined
  }
  return acceptedTarget(about?.redirect, again, parse)
}

async function finishLogin(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  login: PassedLogin,
): Promise<void> {
  const location = await completeLogin(services, ctx, owner, { ...login, isAuthorized: true })
  if (!prefersJson(ctx)) return redirect(ctx, location)
  const isTrusted =
    isTrue(ctx.state.form.text('two-factor-generate-trusted-device-token')) &&
    login.target?.isAuthorize !== true
  // A plain form could not keep the token: only an answer to a script makes one.
  const token = isTrusted ? await trustBrowser(services, ctx, owner) : undefined
  answerJson(ctx, {
    redirect: location,
    ...(token === undefined ? {} : { two_factor_trusted_device_token: token }),
  })
}

/** @returns the token */
async function trustBrowser(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
): Promise<string> {
  // A session that was kept knows its browser; one that was opened just now has the id of this request.
  const live = await services.sessionMiddleware.current(ctx)
  const device = live?.device ?? (await deviceOf(services, ctx, owner)).id
  const also = noteOwn(services, ctx, { event: 'device.trusted' })
  return trustDevice(services, ctx.state.instance, owner, ctx.get('User-Agent'), { device, also })
}

/** SPEC: oauth.md 5.10 - JSON, but for a browser that sends the form without a script. */
async function finishMove(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  challenge: Challenge,
): Promise<void> {
  const request = await recallMove(services, ctx, challenge)
  const location = await grantMove(services, ctx, owner, request)
  const isPage = !prefersJson(ctx) && ctx.get('Accept').includes('text/html')
  if (isPage) redirect(ctx, location)
  else answerJson(ctx, { redirect: location })
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
