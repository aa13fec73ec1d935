import {
  PASSKEY_LIMITS,
  PASSPHRASE_LIMITS,
  SECOND_STEP_LIMITS,
} from '../login/passphrase-limits.ts'
import { onboardedOwner } from '../owner/owner-store.ts'
import { CONFIRM_SCHEMA } from './confirm.schema.ts'
import {
  anybody,
  defineRoute,
  isHttpError,
  prefersJson,
  provedInHandler,
  type Route,
  type RouteContext,
} from '@svc/platform'
import { finishConfirm, nameOfTarget, parseConfirmTarget } from './finish-confirm.ts'
import { askMailedCode, confirmsByMail } from './confirm-by-mail.ts'
import type { AuthUiServices } from '../services.ts'
import { findTrustedDevice } from '../factors/trusted-devices.ts'
import { isSecondFactorOn } from '../owner/factors.ts'
import { allowsFactorChanges, findConfirmation } from './confirmation.ts'
import { askSecondStep } from '../login/second-step.ts'
import { clientAddress, visitorOf } from '../web/visitor.ts'
import { startChallenge } from '../factors/second-factor.ts'
import { passkeyLoginOptions } from '../factors/passkey-proof.ts'
import { usePasskey } from '../login/use-passkey.ts'
import { showLoginForm } from '../login/login.ts'
import { checkPassphrase } from '../login/passphrase-check.ts'
import { answerActivation } from '../login/activation.ts'
import { AuthUiError } from '../errors.ts'
import { formActionSources, parseTarget, type RedirectTarget } from '../web/redirect-target.ts'
import type { Owner } from '../owner/owner.ts'
import type { FormProblem } from '../pages/page-models.ts'
import { formProblem } from '../pages/form-problem.ts'

interface Asked {
  readonly owner: Owner
  readonly state: string
  readonly target: RedirectTarget
  /** None was asked for: home. */
  readonly isDefault: boolean
  /** Who asks wants the passphrase itself, and takes no passkey. */
  readonly requiresPassphrase: boolean
}

const STATE = /^[\u0020-\u007e]{1,256}$/
const PROBLEMS = [
  'busy',
  'invalid_passphrase',
  'mail_failed',
  'passkey_expired',
  'passkey_invalid',
  'passkey_unknown',
  'rate_limited',
] as const

/** The owner proves once more to be the owner. No session is needed, none is opened. @see login.md 6 */
export const confirmRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/auth/confirm',
    handler: showConfirm,
    auth: anybody,
    statuses: [200, 400, 412],
    family: 'html',
    summary:
      'Shows the form in which the owner confirms with the passphrase. A script of the same origin that asks for JSON gets it as data.',
    source: 'login.md 6.1',
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/confirm',
    handler: submitConfirm,
    auth: provedInHandler(['passphrase', 'passkey'], 'confirm/confirm.ts'),
    limit: [...PASSPHRASE_LIMITS, ...SECOND_STEP_LIMITS, ...PASSKEY_LIMITS],
    body: { types: ['form'], schema: CONFIRM_SCHEMA },
    statuses: [200, 302, 400, 401, 403, 412, 413, 415, 429],
    family: 'html',
    csrf: 'origin',
    activity: ['owner.confirmed', 'login.failed', 'login.throttled'],
    summary: 'Confirms, tells the app that asked, and leads back to it with a code.',
    source: 'login.md 6.2',
  }),
  defineRoute({
    method: 'GET',
    path: '/auth/confirm/:code',
    handler: checkConfirmCode,
    auth: provedInHandler(['code'], 'confirm/confirmation.ts'),
    limit: [{ bucket: 'confirm-code', by: clientAddress, counts: ['invalid_code'] }],
    statuses: [204, 400, 401, 412, 429],
    family: 'json',
    summary: 'Tells whether a code of a confirmation is good; uses nothing up.',
    source: 'login.md 6.3',
  }),
]

async function showConfirm(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { query } = ctx.state
  const owner = await onboardedOwner(services, ctx.state.instance)
  if (owner === undefined) return answerActivation(services, ctx)
  const asked = await readAsked(services, ctx, owner, query.text('state'), query.text('redirect'))
  if (!(await isElsewhere(services, ctx))) return showForm(services, ctx, asked)
  const { instance } = ctx.state
  const here = `${instance.origin}/auth/confirm?${ctx.querystring}`
  const target = await parseTarget(services, instance, here)
  await showLoginForm(services, ctx, { owner, target, emailVerifiedCode: '', isLongRun: false }, {})
}

/** A session that a mailed link opened in another browser cannot confirm (D96): the owner logs in first. */
async function isElsewhere(services: AuthUiServices, ctx: RouteContext): Promise<boolean> {
  return (await services.sessionMiddleware.current(ctx))?.isElsewhere === true
}

/** Order: origin, owner, state and redirect, limits, passphrase, second factor. */
async function submitConfirm(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { form, query } = ctx.state
  const owner = await onboardedOwner(services, ctx.state.instance)
  if (owner === undefined) return answerActivation(services, ctx)
  const leadsTo = form.text('redirect') || query.text('redirect')
  const asked = await readAsked(services, ctx, owner, form.text('state'), leadsTo)
  if (await isElsewhere(services, ctx)) throw new AuthUiError('login_required', { status: 403 })
  try {
    const { state, isDefault, target } = asked
    const confirmed = { state, redirect: isDefault ? undefined : target.href }
    if (form.text('credential') !== '') {
      if (asked.requiresPassphrase) {
        throw new AuthUiError('invalid_parameter', { description: 'the passphrase is required' })
      }
      const { owner: proven, since } = await usePasskey(services, ctx)
      const passed = { by: 'passkey', since, withoutPassphrase: true } as const
      return await finishConfirm(services, ctx, proven, { ...confirmed, passed })
    }
    if (form.text('way') === 'mail' && !asked.requiresPassphrase) {
      const about = { state, ...(isDefault ? {} : { redirect: target.href }) }
      return await askMailedCode(services, ctx, owner, about)
    }
    await checkPassphrase(services, ctx, owner, form.text('passphrase'))
    if (await skipsSecondStep(services, ctx, asked))
      return await finishConfirm(services, ctx, owner, confirmed)
    const challenge = await startChallenge(services, visitorOf(services, ctx), owner, {
      purpose: 'confirm',
      state,
      ...(isDefault ? {} : { redirect: target.href }),
    })
    await askSecondStep(services, ctx, owner, challenge)
  } catch (error) {
    const problem = formProblem(error, PROBLEMS)
    if (problem === undefined || prefersJson(ctx)) throw error
    await showForm(services, ctx, asked, { error, problem })
  }
}

async function checkConfirmCode(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance, query } = ctx.state
  const owner = await onboardedOwner(services, ctx.state.instance)
  if (owner === undefined) throw new AuthUiError('onboarding_needed')
  const code = String((ctx as { params?: { code?: unknown } }).params?.code)
  const state = query.get('state')
  const confirmation = await findConfirmation(services, instance, owner, code)
  const needsPassphrase = query.text('require') === 'passphrase'
  if (
    confirmation === undefined ||
    (state !== undefined && state !== confirmation.state) ||
    (needsPassphrase && confirmation.withoutPassphrase === true)
  ) {
    throw new AuthUiError('invalid_code')
  }
  ctx.status = 204
}

/** OPEN(0098): security.md 37 is stricter than login.md 6.2 - what allows to change a factor takes the factor. */
async function skipsSecondStep(
  services: AuthUiServices,
  ctx: RouteContext,
  asked: Asked,
): Promise<boolean> {
  const { owner, target } = asked
  if (!isSecondFactorOn(owner.factors)) return true
  const leadsTo = {
    ...(target.slug === undefined ? {} : { slug: target.slug }),
    ...(target.outerHost === undefined ? {} : { host: target.outerHost }),
  }
  if (allowsFactorChanges(leadsTo, services.options.settingsSlug)) return false
  const token = ctx.state.form.text('trusted-device-token')
  return (await findTrustedDevice(services, ctx.state.instance, owner, token)) !== undefined
}

async function readAsked(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  state: string,
  redirect: string,
): Promise<Asked> {
  if (!STATE.test(state)) {
    throw new AuthUiError('invalid_parameter', { description: 'state is missing or malformed' })
  }
  const target = await parseConfirmTarget(services, ctx.state.instance, redirect)
  const { form, query } = ctx.state
  const required = (ctx.method === 'POST' ? form.text('require') : '') || query.text('require')
  const requiresPassphrase = required === 'passphrase'
  return { owner, state, target, isDefault: redirect === '', requiresPassphrase }
}

async function showForm(
  services: AuthUiServices,
  ctx: RouteContext,
  asked: Asked,
  failure?: { readonly error: unknown; readonly problem: FormProblem },
): Promise<void> {
  const { instance } = ctx.state
  const { owner, state, target, isDefault, requiresPassphrase } = asked
  if (failure !== undefined && isHttpError(failure.error)) {
    ctx.status = failure.error.status
    ctx.set({ ...failure.error.headers })
  }
  const askedBy = isDefault ? undefined : await nameOfTarget(services, instance, target)
  const mailsCode = !requiresPassphrase && (await confirmsByMail(services, ctx, owner))
  const csrfToken = await services.csrf.token(ctx)
  await services.pages.confirmPage(ctx, {
    csrfToken,
    requiresPassphrase,
    ...(mailsCode ? { mailsCodeTo: instance.email ?? '' } : {}),
    passkeyOptions: await passkeyLoginOptions(services, instance, 'confirm', csrfToken),
    formActionSources: formActionSources(instance, target),
    salt: owner.salt,
    iterations: owner.iterations,
    state,
    redirect: isDefault ? '' : target.href,
    cancelHref: target.href,
    ...(askedBy === undefined ? {} : { askedBy }),
    ...(failure === undefined ? {} : { problem: failure.problem }),
  })
}
