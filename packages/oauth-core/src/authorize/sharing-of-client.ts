import type { Engine } from '../engine/engine.ts'
import { OAuthError } from '../errors.ts'
import type { Parameters, RouteContext } from '@svc/platform'
import type { AuthorizePages, OAuthEvents, OwnerSessions } from '../ports.ts'
import type { AuthorizeDependencies } from './authorize.ts'
import type { AuthorizeRequest } from './authorize-request.ts'
import { type CheckDependencies, checkSharingOfClient } from './checks.ts'
import { osOfUserAgent } from './client-os.ts'
import { createHurdles, type HurdleDependencies } from './interstitials.ts'
import { authorizeError } from './page-texts.ts'
import { formActionSource, isOutOfBand, refusedLocation, sharedLocation } from './redirect.ts'
import { refuseGone, scopeOf } from './sharing-offer.ts'
import type { SharingOffer, Sharings } from './sharings.ts'

export interface SharingOfClientDependencies extends CheckDependencies, HurdleDependencies {
  readonly sharings: Sharings
  readonly sessions: () => OwnerSessions
  readonly pages: () => AuthorizePages
  readonly engine: Pick<Engine, 'mintCode'>
  readonly markAllowed: AuthorizeDependencies['markAllowed']
  readonly clientAddress: (ctx: RouteContext) => string
  readonly emit: <Name extends keyof OAuthEvents>(name: Name, event: OAuthEvents[Name]) => void
}

/** A client asks, as at the authorization endpoint; `scope` holds the rules of the sharing. @see decision D31 */
export interface SharingOfClient {
  show(ctx: RouteContext): Promise<void>
  accept(ctx: RouteContext): Promise<void>
}

export function createSharingOfClient(dependencies: SharingOfClientDependencies): SharingOfClient {
  const { sharings, sessions, pages, engine, log } = dependencies
  const hurdles = createHurdles(dependencies)

  async function check(
    ctx: RouteContext,
    parameters: Parameters,
  ): Promise<{ readonly request: AuthorizeRequest; readonly offer: SharingOffer }> {
    const { instance } = ctx.state
    const draft = { ctx, instance, parameters }
    const client = await checkSharingOfClient(draft, dependencies)
    const rules = parameters.text('scope').trim()
    const sharingId = parameters.text('sharing_id')
    const asked = { rules, client, ...(sharingId === '' ? {} : { sharingId }) }
    const offer = await sharings.parseRules(instance, asked)
    if (offer === undefined || (sharingId !== '' && offer.id !== sharingId))
      throw authorizeError('invalidScope')
    const codeChallenge = parameters.text('code_challenge')
    const request: AuthorizeRequest = {
      instance,
      client,
      redirectUri: parameters.text('redirect_uri'),
      state: parameters.text('state'),
      scope: scopeOf(offer, dependencies.forbidden),
      permissions: offer.permissions,
      ...(codeChallenge === '' ? {} : { codeChallenge }),
    }
    return { request, offer }
  }

  async function show(ctx: RouteContext): Promise<void> {
    const { query } = ctx.state
    const { request, offer } = await check(ctx, query)
    if (await hurdles.isDeprecated(ctx, request)) return
    if ((await sessions().current(ctx)) === undefined) return pages().login(ctx)
    if (await hurdles.isOverLimit(ctx, request)) return
    const { client, redirectUri, state, codeChallenge } = request
    const source = formActionSource(redirectUri)
    await pages().sharing(ctx, {
      sharer: offer.sharer,
      permissions: offer.permissions,
      ...(offer.description === undefined ? {} : { description: offer.description }),
      client,
      redirectUri,
      cancelUrl: refusedLocation(request),
      fields: {
        client_id: client.id,
        state,
        redirect_uri: redirectUri,
        scope: query.text('scope'),
        sharing_id: offer.id,
        response_type: 'code',
        ...(codeChallenge === undefined
          ? {}
          : { code_challenge: codeChallenge, code_challenge_method: 'S256' }),
      },
      ...(source === undefined ? {} : { formActionSource: source }),
    })
  }

  async function accept(ctx: RouteContext): Promise<void> {
    const { request, offer } = await check(ctx, ctx.state.form)
    if ((await sessions().current(ctx)) === undefined) throw new OAuthError('not_authenticated')
    if (await hurdles.isDeprecated(ctx, request)) return
    if (await hurdles.isOverLimit(ctx, request)) return
    const code = await hurdles.withinLimit(ctx, request, () => grant(ctx, request, offer))
    if (code === undefined) return
    if (isOutOfBand(request.redirectUri)) {
      return pages().outOfBand(ctx, { code, state: request.state })
    }
    ctx.status = 302
    ctx.set('Location', sharedLocation(request, code, offer.id))
    ctx.body = ''
  }

  async function grant(
    ctx: RouteContext,
    { instance, client: { id }, redirectUri, scope, state, codeChallenge }: AuthorizeRequest,
    offer: SharingOffer,
  ): Promise<string> {
    const os = osOfUserAgent(ctx.get('User-Agent'))
    const seen = { ...(os ? { os } : {}), withinLimit: true }
    const client = await dependencies.markAllowed(instance, id, seen)
    if (client === undefined) throw authorizeError('clientUnknown')
    await sharings.accept(instance, { offer, state, client }).catch(refuseGone)
    const code = await engine.mintCode(instance, {
      client,
      redirectUri,
      scope,
      ...(codeChallenge === undefined ? {} : { codeChallenge }),
    })
    const address = dependencies.clientAddress(ctx)
    dependencies.emit('code.created', { instance, client, scope, address })
    log.info('sharing.accepted', { domain: instance.domain, sharingId: offer.id, clientId: id })
    return code
  }

  return { show, accept }
}
