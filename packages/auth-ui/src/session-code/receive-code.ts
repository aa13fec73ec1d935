import type { AuthUiServices } from '../services.ts'
import { openSession } from '../login/complete-login.ts'
import { redeemOpenCode } from '../session/open-code.ts'
import type { RedeemedCode } from '@svc/oauth-core'
import { contextOf, detachedContext, type RequestView, type RouteContext } from '@svc/platform'
import { onboardedOwner } from '../owner/owner-store.ts'
import type { SessionKind } from '../session/session.ts'

/**
 * Uses up a session code of kind open, whoever is logged in; nobody logged in becomes a session. False when the code
 * was not good: then it is as if there were none (D57). Never for a HEAD.
 * @throws HttpError when the host refuses the login
 * @see login.md 9.1
 */
export async function receiveCode(
  services: AuthUiServices,
  ctx: RouteContext,
  code: string,
  kind: SessionKind,
): Promise<boolean> {
  const { instance } = ctx.state
  const owner = await onboardedOwner(services, ctx.state.instance)
  if (owner === undefined || !(await redeemOpenCode(services, instance, owner, code))) return false
  if ((await services.sessionMiddleware.current(ctx)) !== undefined) return true
  const method = 'session_code'
  const address = services.oauth.clientAddress(ctx)
  await services.hooks.onLogin?.({ instance, method, address, userAgent: ctx.get('User-Agent') })
  await openSession(services, ctx, owner, { kind, method, clientRegistration: kind === 'short' })
  return true
}

/** For the authorization page: a short session, whose cookies go into its answer. */
export async function redeemOnAuthorize(
  services: AuthUiServices,
  request: RequestView,
  code: string,
): Promise<RedeemedCode | undefined> {
  // An answer of its own: whoever asks puts the cookies into theirs.
  const ctx = detachedContext(contextOf(request)?.req ?? request) as RouteContext
  ctx.state.instance = request.instance
  if (request.appSlug !== undefined) ctx.state.appSlug = request.appSlug
  if (!(await receiveCode(services, ctx, code, 'short'))) return undefined
  return { setCookie: [ctx.response.headers['set-cookie'] ?? []].flat().map(String) }
}
