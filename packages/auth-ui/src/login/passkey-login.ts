import {
  anybody,
  bodySchema,
  type BodySchema,
  defineRoute,
  prefersJson,
  provedInHandler,
  type Route,
  type RouteContext,
} from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import { passkeyLoginOptions, provePasskey, requirePasskeyTries } from '../factors/passkey-proof.ts'
import { acceptedPasskeys } from '../factors/passkeys.ts'
import type { Owner } from '../owner/owner.ts'
import { onboardedOwner } from '../owner/owner-store.ts'
import { formProblem } from '../pages/form-problem.ts'
import type { AuthUiServices } from '../services.ts'
import { SessionNotStored } from '../session/session-middleware.ts'
import { answerJson, redirect } from '../web/answer.ts'
import { isTrue } from '../web/posted.ts'
import type { RedirectTarget } from '../web/redirect-target.ts'
import { visitorOf } from '../web/visitor.ts'
import { answerActivation } from './activation.ts'
import { authorizeLogin, completeLogin } from './complete-login.ts'
import { showLoginForm, targetOf } from './login.ts'
import { PASSKEY_LIMITS } from './passphrase-limits.ts'

const PROBLEMS = ['passkey_expired', 'passkey_invalid', 'passkey_unknown', 'rate_limited'] as const

/** Fields of `POST /auth/login/passkey`. */
const PASSKEY_LOGIN_SCHEMA: BodySchema<object> = bodySchema({
  type: 'object',
  properties: {
    credential: { type: 'string', description: 'AuthenticationResponseJSON, at most 16 KiB' },
    csrf_token: { type: 'string', description: 'of the page; verified when present' },
    'long-run-session': { type: 'string', description: '1, true or on: stay connected' },
    redirect: { type: 'string', description: 'an absolute URL or slug[/path]' },
  },
})

/** Logging in by a passkey alone. @see owner.md 2.2 */
export const passkeyLoginRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'POST',
    path: '/auth/login/passkey',
    handler: submitPasskeyLogin,
    auth: provedInHandler(['passkey'], 'factors/passkey-proof.ts'),
    limit: PASSKEY_LIMITS,
    body: { types: ['form'], schema: PASSKEY_LOGIN_SCHEMA },
    statuses: [200, 302, 400, 401, 403, 412, 413, 415, 429],
    family: 'html',
    csrf: 'origin',
    activity: ['login.succeeded', 'login.failed'],
    summary: 'Logs the owner in by a passkey, in place of passphrase and second step.',
    source: 'owner.md 2.2',
  }),
  defineRoute({
    method: 'POST',
    path: '/auth/login/passkey/options',
    handler: answerOptions,
    auth: anybody,
    limit: PASSKEY_LIMITS,
    statuses: [200, 400, 403, 412, 429],
    family: 'html',
    csrf: 'origin',
    activity: { none: 'stores nothing' },
    summary: 'What the browser asks a passkey with; the same whether there are passkeys.',
    source: 'owner.md 2.2',
  }),
]

async function answerOptions(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance } = ctx.state
  if ((await onboardedOwner(services, instance)) === undefined) {
    throw new AuthUiError('onboarding_needed')
  }
  await requirePasskeyTries(services, visitorOf(services, ctx))
  const csrfToken = await services.csrf.token(ctx)
  answerJson(ctx, await passkeyLoginOptions(services, instance, 'login', csrfToken))
}

/** Order: origin, owner, redirect, limit, challenge, signature, session. */
async function submitPasskeyLogin(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { form, query } = ctx.state
  const owner = await onboardedOwner(services, ctx.state.instance)
  if (owner === undefined) return answerActivation(services, ctx)
  const target = await targetOf(services, ctx, form.text('redirect') || query.text('redirect'))
  const isLongRun = isTrue(form.text('long-run-session'))
  try {
    const { location, proven } = await logIn(services, ctx, target, isLongRun)
    if (!prefersJson(ctx)) return redirect(ctx, location)
    answerJson(ctx, { redirect: location, passkeys: acceptedPasskeys(ctx.state.instance, proven) })
  } catch (error) {
    const problem = formProblem(error, PROBLEMS)
    if (problem === undefined || prefersJson(ctx)) throw error
    const asked = { owner, target, emailVerifiedCode: '', isLongRun }
    await showLoginForm(services, ctx, asked, { failure: { error, problem } })
  }
}

/** Session, counter and challenge are one write: of any number of parallel uses one passes. */
async function logIn(
  services: AuthUiServices,
  ctx: RouteContext,
  target: RedirectTarget | undefined,
  isLongRun: boolean,
): Promise<{ readonly location: string; readonly proven: Owner }> {
  const login = { target, isLongRun, method: 'passkey' } as const
  const answer = {
    purpose: 'login',
    csrfTokens: await services.csrf.known(ctx),
    credential: ctx.state.form.text('credential'),
  } as const
  let isAuthorized = false
  for (;;) {
    const { owner, changes } = await provePasskey(services, visitorOf(services, ctx), answer)
    if (!isAuthorized) await authorizeLogin(services, ctx, login)
    isAuthorized = true
    try {
      const also = { ...login, isAuthorized, also: () => changes }
      return { location: await completeLogin(services, ctx, owner, also), proven: owner }
    } catch (error) {
      if (!(error instanceof SessionNotStored)) throw error
      // Another change of the owner's record was faster: what it left decides.
      if (error.failed !== changes[1].key) throw new AuthUiError('passkey_expired')
    }
  }
}
