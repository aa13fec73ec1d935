import type { AuthUiServices } from '../services.ts'
import { homeTarget } from '../web/redirect-target.ts'
import { passkeyRequestOptions } from '../factors/passkeys.ts'
import { prefersJson, type RouteContext } from '@svc/platform'
import type { Challenge, ChallengeRequest } from '../factors/challenge.ts'
import type { Owner } from '../owner/owner.ts'
import type { FormProblem } from '../pages/page-models.ts'
import { formActionSource } from '@svc/oauth-core'
import { answerJson } from '../web/answer.ts'

const AUTHORIZE_PATH = '/auth/authorize'

/**
 * Asks for the second step, after any first step that has one. JSON: 200 `{ two_factor_token, redirect }`, `redirect`
 * being the page of the second step; HTML: that page. The status is the caller's when there is a problem.
 * @see login.md 5.1, 6.2
 */
export async function askSecondStep(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  challenge: Challenge,
  problem?: FormProblem,
): Promise<void> {
  const { instance } = ctx.state
  const { token, purpose, factors, expiresAt } = challenge
  if (prefersJson(ctx) && problem === undefined) {
    const redirect = `${instance.origin}/auth/twofactor?two_factor_token=${token}`
    return answerJson(ctx, { two_factor_token: token, redirect })
  }
  const passkeyOptions = await passkeyRequestOptions(instance, owner, token)
  await services.pages.passcodePage(ctx, {
    csrfToken: await services.csrf.token(ctx),
    formActionSources: await sourcesOf(services, ctx, challenge),
    token,
    purpose,
    factors,
    offersTrust: offersTrust(challenge),
    expiresAt,
    now: services.clock.now(),
    restartHref: restartHref(challenge),
    ...(passkeyOptions === undefined ? {} : { passkeyOptions }),
    ...(problem === undefined ? {} : { problem }),
  })
}

/** The form ends in a redirect to where step 1 was asked to lead, which may be a host of the operator's list. */
async function sourcesOf(
  services: AuthUiServices,
  ctx: RouteContext,
  { purpose, redirect }: Challenge,
): Promise<readonly string[]> {
  const { instance } = ctx.state
  if (purpose === 'move') {
    const source = formActionSource(redirect ?? '')
    return source === undefined ? [] : [source]
  }
  const { origin } =
    redirect === undefined ? await homeTarget(services, instance) : new URL(redirect)
  return origin === instance.origin ? [] : [origin]
}

/** A browser can be trusted by a login, but not by the passing session of an authorization. @see login.md 5.1 */
function offersTrust({ purpose, redirect }: Challenge): boolean {
  if (purpose !== 'login') return false
  return redirect === undefined || new URL(redirect).pathname !== AUTHORIZE_PATH
}

/**
 * Where a second step that cannot be finished is begun again, with what was asked for: a path of the instance.
 * @param request - undefined: nothing is known of it
 */
export function restartHref(request: ChallengeRequest | undefined): string {
  const query = new URLSearchParams()
  if (request?.purpose === 'move') {
    query.set('state', request.state ?? '')
    query.set('client_id', request.clientId ?? '')
    query.set('redirect_uri', request.redirect ?? '')
    return `/auth/authorize/move?${query.toString()}`
  }
  const isConfirm = request?.purpose === 'confirm' && request.state !== undefined
  if (isConfirm) query.set('state', request.state ?? '')
  if (request?.redirect !== undefined) query.set('redirect', request.redirect)
  const path = isConfirm ? '/auth/confirm' : '/auth/login'
  return query.size === 0 ? path : `${path}?${query.toString()}`
}
