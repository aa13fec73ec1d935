import type { Client } from '../clients/client.ts'
import type { Engine } from '../engine/engine.ts'
import { OAuthError } from '../errors.ts'
import type { RouteContext, RouteRow } from '../http/route.ts'
import type { Instance } from '../instances/instance.ts'
import type { Sealer } from '../keys/sealer.ts'
import type { AuthorizePages, ConsentView, OAuthEvents, OwnerSessions } from '../ports.ts'
import type { AuthorizeRequest } from './authorize-request.ts'
import { type CheckDependencies, checkAuthorize } from './checks.ts'
import { osOfUserAgent } from './client-os.ts'
import { createConsentSeal } from './consent-seal.ts'
import { authorizeError } from './page-texts.ts'
import { formActionSource, grantedLocation, isOutOfBand, refusedLocation } from './redirect.ts'

export interface AuthorizeDependencies extends CheckDependencies {
  readonly clock: { now(): number }
  readonly engine: Pick<Engine, 'mintCode'>
  readonly sealer: Sealer
  /** Given with `oauth.routes`: asked when a request comes. */
  readonly pages: () => AuthorizePages
  /** Given with `oauth.useSessions`: asked when a request comes. */
  readonly sessions: () => OwnerSessions
  /**
   * Notes that the owner allowed the client: no longer pending, and the system of the browser it was done with.
   * Answers the client as it is stored then, or undefined when it is gone. Writes only when something changes.
   */
  readonly markAllowed: (
    instance: Instance,
    clientId: Client['id'],
    seen: { readonly os?: string },
  ) => Promise<Client | undefined>
  readonly clientAddress: (ctx: RouteContext) => string
  readonly emit: <Name extends keyof OAuthEvents>(name: Name, event: OAuthEvents[Name]) => void
}

/** The rows of the authorization endpoint. @see oauth.md 5.1 to 5.3, 5.7, 5.8; decisions D8, D24, D42 */
export function authorizeRows(dependencies: AuthorizeDependencies): RouteRow[] {
  const { pages, sessions, engine, log } = dependencies
  const consentSeal = createConsentSeal(dependencies)

  async function showConsent(ctx: RouteContext): Promise<void> {
    const { instance, query } = ctx.state
    if (await redeemSessionCode(ctx)) return
    const request = await checkAuthorize({ ctx, instance, parameters: query }, dependencies)
    const session = await sessions().current(ctx)
    if (session === undefined) return pages().login(ctx)
    // Step 7, the limit of connected clients (oauth.md 5.4), stands here.
    const view = consentView(request, consentSeal.seal(request, session))
    await pages().consent(ctx, view)
  }

  /** SPEC: oauth.md 5.1 step 2 - used up whatever else is wrong with the request; a HEAD uses nothing up. */
  async function redeemSessionCode(ctx: RouteContext): Promise<boolean> {
    const code = ctx.state.query.get('session_code')
    if (code === undefined || ctx.method !== 'GET') return false
    return (await sessions().redeem?.(ctx, code)) === true
  }

  async function answerConsent(ctx: RouteContext): Promise<void> {
    const { instance, form } = ctx.state
    const request = await checkAuthorize({ ctx, instance, parameters: form }, dependencies)
    const session = await sessions().current(ctx)
    if (session === undefined) throw new OAuthError('not_authenticated')
    if (form.has('consent')) consentSeal.check(form.text('consent'), request, session)
    // Deprecated clients and the limit of connected clients (oauth.md 5.3) stand here, 403.
    const code = await grant(ctx, request)
    if (isOutOfBand(request.redirectUri)) {
      await pages().outOfBand(ctx, { code, state: request.state })
      return
    }
    // Not `ctx.redirect`: it parses and writes the URI anew, and shows the code in a body.
    ctx.status = 302
    ctx.set('Location', grantedLocation(request, code))
    ctx.body = ''
  }

  async function grant(ctx: RouteContext, request: AuthorizeRequest): Promise<string> {
    const { instance, redirectUri, scope, codeChallenge } = request
    const os = osOfUserAgent(ctx.get('User-Agent'))
    // Before the code: from here on the clean-up of pending clients leaves this one alone.
    const client = await dependencies.markAllowed(instance, request.client.id, os ? { os } : {})
    if (client === undefined) throw authorizeError('clientUnknown')
    const code = await engine.mintCode(instance, {
      client,
      redirectUri,
      scope,
      ...(codeChallenge === undefined ? {} : { codeChallenge }),
    })
    const address = dependencies.clientAddress(ctx)
    dependencies.emit('code.created', { instance, client, scope, address })
    log.info('consent.given', { domain: instance.domain, clientId: client.id, scope, address })
    return code
  }

  return [
    {
      method: 'GET',
      path: '/auth/authorize',
      handler: showConsent,
      auth: ['session cookie'],
      statuses: [200, 302, 400],
      family: 'html',
      summary: 'Asks the owner whether a client may have what it asks for.',
      source: 'oauth.md 5.1, 5.2; RFC 6749 4.1.1',
    },
    {
      method: 'POST',
      path: '/auth/authorize',
      handler: answerConsent,
      auth: ['session cookie'],
      // A request without any body still meets the CSRF rule first (oauth.md 5.3).
      body: { types: ['form'], optional: true },
      csrf: 'token',
      statuses: [200, 302, 400, 401, 403, 413, 415],
      family: 'html',
      summary: 'Gives the client a code for what the owner allowed.',
      source: 'oauth.md 5.3, 5.7, 5.8; RFC 6749 4.1.2',
    },
  ]
}

function consentView(request: AuthorizeRequest, consent: string): ConsentView {
  const { client, app, redirectUri, state, scope, permissions, codeChallenge } = request
  const source = formActionSource(redirectUri)
  return {
    client,
    ...(app === undefined ? {} : { linkedApp: app }),
    permissions,
    redirectUri,
    cancelUrl: refusedLocation(request),
    fields: {
      client_id: client.id,
      state,
      redirect_uri: redirectUri,
      scope,
      response_type: 'code',
      ...(codeChallenge === undefined
        ? {}
        : { code_challenge: codeChallenge, code_challenge_method: 'S256' }),
      consent,
    },
    ...(source === undefined ? {} : { formActionSource: source }),
  }
}
