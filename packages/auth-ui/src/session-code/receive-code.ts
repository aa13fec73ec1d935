import type { OwnerSessions } from '@svc/oauth-core'
import type { RouteContext } from '@svc/platform'
import { redirect } from '../web/answer.ts'
import type { SessionOpener } from '../login/open-session.ts'
import { withoutSessionCode } from '../web/redirect-target.ts'
import { onboardedOwner } from '../owner/onboarded-owner.ts'
import type { OwnerStore } from '../owner/owner-store.ts'
import type { HostHooks } from '../ports.ts'
import type { SessionKind } from '../session/session.ts'
import type { SessionCarrier } from '../session/session-carrier.ts'
import type { OpenCodes } from '../session/open-codes.ts'

/**
 * Uses up a session code of kind open, whoever is logged in; nobody logged in becomes a session. False when the code
 * was not good: then it is as if there were none (D57). Never for a HEAD.
 * @throws HttpError when the host refuses the log-in
 */
export type ReceiveCode = (ctx: RouteContext, code: string, kind: SessionKind) => Promise<boolean>

/** What {@link createReceiveCode} needs. */
export interface ReceiveCodeOptions {
  readonly owners: OwnerStore
  readonly openCodes: OpenCodes
  readonly carrier: SessionCarrier
  readonly opener: SessionOpener
  readonly hooks: HostHooks
  readonly clientAddress: (ctx: RouteContext) => string
}

/** @see login.md 9.1 */
export function createReceiveCode(options: ReceiveCodeOptions): ReceiveCode {
  const { owners, openCodes, carrier, opener, hooks, clientAddress } = options

  return async function receiveCode(ctx, code, kind) {
    const { instance } = ctx.state
    const owner = await onboardedOwner(owners, ctx)
    if (owner === undefined || !(await openCodes.redeem(instance, owner, code))) return false
    if ((await carrier.current(ctx)) !== undefined) return true
    const method = 'session_code'
    const address = clientAddress(ctx)
    await hooks.onLogin?.({ instance, method, address, userAgent: ctx.get('User-Agent') })
    await opener.open(ctx, owner, { kind, method, clientRegistration: kind === 'short' })
    return true
  }
}

/** For the authorization page: a short session, and back to the page without the code. */
export function createAuthorizeCode(
  receiveCode: ReceiveCode,
): NonNullable<OwnerSessions['redeem']> {
  return async function redeemOnAuthorize(context, code) {
    // The endpoint is a row: behind `resolveInstance` and the router.
    const ctx = context as RouteContext
    if (!(await receiveCode(ctx, code, 'short'))) return false
    redirect(ctx, withoutSessionCode(`${ctx.state.instance.origin}${ctx.path}?${ctx.querystring}`))
    return true
  }
}
