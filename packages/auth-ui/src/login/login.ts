import { PASSPHRASE_LIMITS, SECOND_STEP_LIMITS } from './passphrase-limits.ts'
import { LOGIN_SCHEMA } from './login.schema.ts'
import {
  defineRoute,
  isHttpError,
  prefersJson,
  provedInHandler,
  type Route,
  type RouteContext,
} from '@svc/platform'
import type { AuthUiServices } from '../services.ts'
import { askSecondStep } from './second-step.ts'
import { visitorOf } from '../web/visitor.ts'
import { startChallenge } from '../factors/second-factor.ts'
import { isEmailVerifiedCode, redeemEmailVerifiedCode } from '../session/email-verified-code.ts'
import { findTrustedDevice } from '../factors/trusted-devices.ts'
import { isSecondFactorOn } from '../owner/factors.ts'
import { takesRaw } from './pending-import.ts'
import { checkPassphrase } from './passphrase-check.ts'
import { takeRenewedNotice } from './renewed-notice.ts'
import { authorizeLogin, completeLogin, locateTarget } from './complete-login.ts'
import {
  formActionSources,
  homeTarget,
  parseTarget,
  type RedirectTarget,
} from '../web/redirect-target.ts'
import { answerActivation } from './activation.ts'
import { AuthUiError } from '../errors.ts'
import type { Owner } from '../owner/owner.ts'
import { onboardedOwner } from '../owner/owner-store.ts'
import type { FormProblem, LoginPageModel } from '../pages/page-models.ts'
import { formProblem } from '../pages/form-problem.ts'
import { answerRedirect, redirect } from '../web/answer.ts'
import { isTrue } from '../web/posted.ts'

/** What a login form is about. */
export interface Asked {
  readonly owner: Owner
  /** Undefined: none was asked for. */
  readonly target: RedirectTarget | undefined
  readonly emailVerifiedCode: string
  readonly isLongRun: boolean
}

/** What a login form says beside its question. */
export interface Said {
  readonly message?: LoginPageModel['message']
  readonly failure?: { readonly error: unknown; readonly problem: FormProblem }
}

/** Whether a login goes on without its second step; `admitted`: the host was asked already. */
type Skipped = 'no' | 'yes' | 'admitted'

const PROBLEMS = ['busy', 'invalid_passphrase', 'mail_failed', 'rate_limited'] as const
const EMAIL_VERIFIED_CODE = /^[A-Za-z0-9]{32}$/

/** The login form and its answer. @see login.md 5.1 */
export const loginRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/auth/login',
    handler: showLogin,
    auth: provedInHandler(['none', 'session cookie'], 'session/session-middleware.ts'),
    statuses: [200, 302, 400, 412],
    family: 'html',
    summary:
      'Shows the login form, or sends a logged-in browser on. A script of the same origin that asks for JSON gets it as data.',
    source: 'login.md 5.1',
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/login',
    handler: submitLogin,
    auth: provedInHandler(['passphrase'], 'login/passphrase-check.ts'),
    limit: [...PASSPHRASE_LIMITS, ...SECOND_STEP_LIMITS],
    body: { types: ['form'], schema: LOGIN_SCHEMA },
    statuses: [200, 302, 400, 401, 403, 412, 413, 415, 429],
    family: 'html',
    csrf: 'origin',
    activity: ['login.succeeded', 'login.failed', 'login.throttled'],
    summary: 'Logs the owner in.',
    source: 'login.md 5.1',
  }),
]

async function showLogin(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance, query } = ctx.state
  const owner = await onboardedOwner(services, ctx.state.instance)
  if (owner === undefined) return answerActivation(services, ctx)
  const target = await targetOf(services, ctx, query.text('redirect'))
  const emailVerifiedCode = query.text('email_verified_code')
  if (emailVerifiedCode !== '' && !EMAIL_VERIFIED_CODE.test(emailVerifiedCode)) {
    throw new AuthUiError('invalid_parameter', { description: 'malformed email_verified_code' })
  }
  const session = await services.sessionMiddleware.current(ctx)
  // In a session elsewhere the owner can log in for more.
  if (session !== undefined && session.isElsewhere !== true) {
    await services.sessionMiddleware.touch(ctx)
    const to = target ?? (await homeTarget(services, instance))
    return redirect(ctx, await locateTarget(services, ctx, to, session, 'empty'))
  }
  const isRenewed = await takeRenewedNotice(services, ctx)
  const asked = { owner, target, emailVerifiedCode, isLongRun: false }
  const message = isRenewed ? 'passphrase-renewed' : requested(query.text('msg'))
  await showLoginForm(services, ctx, asked, message === undefined ? {} : { message })
}

/** Order: origin, owner, redirect, limits, passphrase, second factor, session. */
async function submitLogin(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { form, query } = ctx.state
  const owner = await onboardedOwner(services, ctx.state.instance)
  if (owner === undefined) return answerActivation(services, ctx)
  const target = await targetOf(services, ctx, form.text('redirect') || query.text('redirect'))
  const asked: Asked = {
    owner,
    target,
    emailVerifiedCode: validOrEmpty(form.text('email_verified_code')),
    isLongRun: isTrue(form.text('long-run-session')),
  }
  let skipped: Skipped
  try {
    const raw = takesRaw(owner, ctx.state.instance) ? form.get('passphrase_raw') : undefined
    await checkPassphrase(services, ctx, owner, form.text('passphrase'), raw)
    skipped = await skipSecondStep(services, ctx, asked)
    if (skipped === 'no') return await startSecondStep(services, ctx, asked)
  } catch (error) {
    const problem = formProblem(error, PROBLEMS)
    if (problem === undefined || prefersJson(ctx)) throw error
    return showLoginForm(services, ctx, asked, { failure: { error, problem } })
  }
  const login = { ...loginOf(asked), isAuthorized: skipped === 'admitted' }
  answerRedirect(ctx, await completeLogin(services, ctx, owner, login))
}

/** What has no second step, or is allowed to do without. What is no good for that is ignored. */
async function skipSecondStep(
  services: AuthUiServices,
  ctx: RouteContext,
  asked: Asked,
): Promise<Skipped> {
  const { instance, form } = ctx.state
  const { owner, emailVerifiedCode } = asked
  if (!isSecondFactorOn(owner.factors)) return 'yes'
  const token = form.text('trusted-device-token')
  if ((await findTrustedDevice(services, instance, owner, token)) !== undefined) return 'yes'
  if (!(await isEmailVerifiedCode(services, instance, owner, emailVerifiedCode))) return 'no'
  await authorizeLogin(services, ctx, loginOf(asked))
  return (await redeemEmailVerifiedCode(services, instance, owner, emailVerifiedCode))
    ? 'admitted'
    : 'no'
}

async function startSecondStep(
  services: AuthUiServices,
  ctx: RouteContext,
  asked: Asked,
): Promise<void> {
  const { owner, target, isLongRun } = asked
  const challenge = await startChallenge(services, visitorOf(services, ctx), owner, {
    purpose: 'login',
    isLongRun,
    ...(target === undefined ? {} : { redirect: target.href }),
  })
  await askSecondStep(services, ctx, owner, challenge)
}

/** The form, again when a login was refused. */
export async function showLoginForm(
  services: AuthUiServices,
  ctx: RouteContext,
  asked: Asked,
  { message, failure }: Said,
): Promise<void> {
  const { instance } = ctx.state
  const { owner, target, emailVerifiedCode, isLongRun } = asked
  if (failure !== undefined && isHttpError(failure.error)) {
    ctx.status = failure.error.status
    ctx.set({ ...failure.error.headers })
  }
  const leadsTo = target ?? (await homeTarget(services, instance))
  await services.pages.loginPage(ctx, {
    csrfToken: await services.csrf.token(ctx),
    formActionSources: formActionSources(instance, leadsTo),
    offersPasskey: leadsTo.slug !== undefined && emailVerifiedCode === '',
    salt: owner.salt,
    iterations: owner.iterations,
    redirect: target?.href ?? '',
    offersLongRun: target?.isAuthorize !== true,
    longRun: isLongRun,
    isImport: takesRaw(owner, instance),
    emailVerifiedCode,
    offersMagicLink: owner.magicLink === true && emailVerifiedCode === '',
    ...(message === undefined ? {} : { message }),
    ...(failure === undefined ? {} : { problem: failure.problem }),
  })
}

/** Where a login was asked to lead; undefined: nowhere. @throws AuthUiError `bad_redirect` */
export async function targetOf(
  services: AuthUiServices,
  ctx: RouteContext,
  raw: string,
): Promise<RedirectTarget | undefined> {
  return raw === '' ? undefined : parseTarget(services, ctx.state.instance, raw)
}

function loginOf({ target, isLongRun }: Asked) {
  return { target, isLongRun, method: 'password' } as const
}

/** A link may only make the page say what is true of every visit: that a mail comes if there is an address. */
function requested(msg: string): LoginPageModel['message'] {
  return msg === 'passphrase-reset-requested' ? msg : undefined
}

function validOrEmpty(code: string): string {
  return EMAIL_VERIFIED_CODE.test(code) ? code : ''
}
