import type { Client } from '../clients/client.ts'
import type { LinkedInstalls } from '../clients/linked-installs.ts'
import type { Engine } from '../engine/engine.ts'
import { OAuthError } from '../errors.ts'
import {
  type Instance,
  prefersJson,
  type RouteContext,
  type RouteRow,
  type Sealer,
} from '@svc/platform'
import type { AuthorizePages, OAuthEvents, OwnerSession, OwnerSessions } from '../ports.ts'
import { authorizeSchema } from './authorize.schema.ts'
import type { AuthorizeRequest } from './authorize-request.ts'
import { type CertifyDependencies, createShowCertify } from './certify.ts'
import { type CheckDependencies, checkAuthorize } from './checks.ts'
import { osOfUserAgent } from './client-os.ts'
import { type ConsentAnswer, readConsentAnswer } from './consent-choice.ts'
import { createConsentSeal } from './consent-seal.ts'
import { consentView, placesAllowed } from './consent-view.ts'
import { createHurdles, type HurdleDependencies } from './interstitials.ts'
import { type LiveAccess, outgrown, readLiveAccess } from './live-access.ts'
import { authorizeError, notCertified } from './page-texts.ts'
import { grantedLocation, isOutOfBand } from './redirect.ts'

export interface AuthorizeDependencies
  extends CheckDependencies,
    CertifyDependencies,
    HurdleDependencies {
  /** Whether a client may have scope `*`. */
  readonly isCertified: (client: Client) => boolean
  readonly clock: { now(): number }
  readonly engine: Pick<Engine, 'listGrants' | 'mintCode' | 'revokeGrant'>
  readonly consent: {
    /** Whether owners may leave out permissions and choose for how long. */
    readonly choose: boolean
  }
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
    seen: { readonly os?: string; readonly withinLimit?: boolean },
  ) => Promise<Client | undefined>
  /** Sees to it that the app of a linked client gets installed. */
  readonly linkedInstalls: Pick<LinkedInstalls, 'begin'>
  readonly clientAddress: (ctx: RouteContext) => string
  readonly emit: <Name extends keyof OAuthEvents>(name: Name, event: OAuthEvents[Name]) => void
}

/** The rows of the authorization endpoint. @see oauth.md 5.1 to 5.3, 5.7, 5.8; decisions D8, D24, D42 */
export function authorizeRows(dependencies: AuthorizeDependencies): RouteRow[] {
  const { pages, sessions, engine, log } = dependencies
  const consentSeal = createConsentSeal(dependencies)
  const hurdles = createHurdles(dependencies)
  const showCertify = createShowCertify(dependencies)

  async function showConsent(ctx: RouteContext): Promise<void> {
    const { instance, query } = ctx.state
    if (await redeemSessionCode(ctx)) return
    const request = await checkAuthorize({ ctx, instance, parameters: query }, dependencies)
    if (await hurdles.isDeprecated(ctx, request)) return
    const session = await sessions().current(ctx)
    if (session === undefined) return pages().login(ctx)
    if (!mayHave(request)) return showCertify(ctx, request)
    if (await hurdles.isOverLimit(ctx, request)) return
    await ask(ctx, request, session)
  }

  async function ask(
    ctx: RouteContext,
    request: AuthorizeRequest,
    session: OwnerSession,
    answer?: ConsentAnswer,
  ): Promise<void> {
    const live = await readLiveAccess(engine, request)
    const allowed = request.app === undefined ? placesAllowed(request, live) : []
    const sealed = consentSeal.seal(request, session, allowed)
    const again = answer && {
      again: { problem: 'nothing_chosen' as const, duration: answer.duration },
    }
    const { choose } = dependencies.consent
    await pages().consent(ctx, consentView(request, { choose, live, sealed, ...again }))
  }

  /** SPEC: oauth.md 5.5 - everything is for certified clients. */
  function mayHave({ client, scope }: AuthorizeRequest): boolean {
    return scope !== '*' || dependencies.isCertified(client)
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
    if (await hurdles.isDeprecated(ctx, request)) return
    if (!mayHave(request)) throw notCertified()
    const live = await readLiveAccess(engine, request)
    if (form.has('consent'))
      consentSeal.check(form.text('consent'), request, session, live.isAllowed)
    const answer = readConsentAnswer(form, request, dependencies.consent.choose)
    if (await hurdles.isOverLimit(ctx, request)) return
    if (answer.request.scope === '') {
      if (prefersJson(ctx)) throw authorizeError('nothingChosen')
      ctx.status = 400
      await ask(ctx, request, session, answer)
      return
    }
    const code = await hurdles.withinLimit(ctx, request, () => grant(ctx, request, answer, live))
    if (code === undefined) return
    if (isOutOfBand(request.redirectUri)) {
      await pages().outOfBand(ctx, { code, state: request.state })
      return
    }
    // Not `ctx.redirect`: it parses and writes the URI anew, and shows the code in a body.
    ctx.status = 302
    ctx.set('Location', grantedLocation(request, code))
    ctx.body = ''
  }

  async function grant(
    ctx: RouteContext,
    request: AuthorizeRequest,
    answer: ConsentAnswer,
    live: LiveAccess,
  ): Promise<string> {
    const { instance, redirectUri, scope, codeChallenge } = answer.request
    const endsAt = endOf(answer, dependencies.clock.now())
    const os = osOfUserAgent(ctx.get('User-Agent'))
    // Before the code: from here on the clean-up of pending clients leaves this one alone.
    const client = await dependencies.markAllowed(instance, request.client.id, {
      ...(os ? { os } : {}),
      withinLimit: true,
    })
    if (client === undefined) throw authorizeError('clientUnknown')
    const code = await engine.mintCode(instance, {
      client,
      redirectUri,
      scope,
      ...(codeChallenge === undefined ? {} : { codeChallenge }),
      ...(endsAt === undefined ? {} : { endsAt }),
    })
    for (const { id } of outgrown(request, answer, live, endsAt))
      await engine.revokeGrant(instance, id, 'narrowed')
    if (request.app !== undefined) dependencies.linkedInstalls.begin(instance, request.app.slug)
    const address = dependencies.clientAddress(ctx)
    const given = { scope, address, ...(endsAt === undefined ? {} : { endsAt }) }
    dependencies.emit('code.created', { instance, client, ...given })
    log.info('consent.given', { domain: instance.domain, clientId: client.id, ...given })
    return code
  }

  return [
    {
      method: 'GET',
      path: '/auth/authorize',
      handler: showConsent,
      auth: ['session cookie'],
      statuses: [200, 302, 400, 429],
      family: 'html',
      limit: 'confirm-flagship',
      summary: 'Asks the owner whether a client may have what it asks for.',
      source: 'oauth.md 5.1, 5.2; RFC 6749 4.1.1',
    },
    {
      method: 'POST',
      path: '/auth/authorize',
      handler: answerConsent,
      auth: ['session cookie'],
      // A request without any body still meets the CSRF rule first (oauth.md 5.3).
      body: { types: ['form'], optional: true, schema: authorizeSchema },
      csrf: 'token',
      statuses: [200, 302, 400, 401, 403, 413, 415],
      family: 'html',
      summary: 'Gives the client a code for what the owner allowed.',
      source: 'oauth.md 5.3, 5.7, 5.8; decision D42; RFC 6749 4.1.2',
    },
  ]
}

/** A whole second, as tokens carry it, and never later than the owner allowed. */
function endOf({ lifeMs }: ConsentAnswer, now: number): number | undefined {
  return lifeMs === undefined ? undefined : Math.floor((now + lifeMs) / 1000) * 1000
}
