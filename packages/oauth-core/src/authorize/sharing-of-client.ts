import { byOwner } from '../registration/activity-source.ts'
import type { Parameters, RouteContext } from '@svc/platform'
import { mintCode } from '../engine/mint.ts'
import { OAuthError } from '../errors.ts'
import { type OAuthServices, pagesOf, sessionOf } from '../services.ts'
import { allowClient } from './allow-client.ts'
import type { AuthorizeRequest } from './authorize-request.ts'
import { checkSharingOfClient } from './checks.ts'
import { checkConsent, sealConsent } from './consent-seal.ts'
import { showsDeprecated, showsLimit, withinLimit } from './interstitials.ts'
import { readLiveAccess, readShownAccess } from './live-access.ts'
import { authorizeError } from './page-texts.ts'
import {
  formActionSource,
  isOutOfBand,
  leaveTo,
  refusedLocation,
  sharedLocation,
} from './redirect.ts'
import { refuseGone, scopeOf, type SharingOffer } from './sharings.ts'
import { clientTarget } from '../clients/client.ts'

// A client asks for a sharing, as at the authorization endpoint; `scope` holds the rules of the sharing.
// @see decision D31

interface SharingRequest {
  readonly request: AuthorizeRequest
  readonly offer: SharingOffer
}

export async function showSharingOfClient(
  ctx: RouteContext,
  services: OAuthServices,
): Promise<void> {
  const { query } = ctx.state
  const pages = pagesOf(services)
  const { request, offer } = await check(ctx, services, query)
  if (await showsDeprecated(ctx, services, request)) return
  const session = await sessionOf(ctx, services)
  if (session === undefined) return pages.login(ctx)
  if (await showsLimit(ctx, services, request)) return
  const { client, redirectUri, state, codeChallenge } = request
  const source = formActionSource(redirectUri)
  const live = await readShownAccess(services, request)
  await pages.sharing(ctx, {
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
      consent: sealConsent(services, request, session, { ...live, isAllowed: isNeverAllowed }),
    },
    ...(source === undefined ? {} : { formActionSource: source }),
  })
}

/** The page does not tell what is new from what is not. */
function isNeverAllowed(): boolean {
  return false
}

export async function acceptSharingOfClient(
  ctx: RouteContext,
  services: OAuthServices,
): Promise<void> {
  const { form } = ctx.state
  const { request, offer } = await check(ctx, services, form)
  const session = await sessionOf(ctx, services)
  if (session === undefined) throw new OAuthError('not_authenticated')
  if (await showsDeprecated(ctx, services, request)) return
  const sealed = form.get('consent')
  if (sealed !== undefined) {
    checkConsent(services, sealed, request, session, await readLiveAccess(services, request))
  }
  if (await showsLimit(ctx, services, request)) return
  const code = await withinLimit(ctx, services, request, () =>
    grant(ctx, services, { request, offer }),
  )
  if (code === undefined) return
  if (isOutOfBand(request.redirectUri)) {
    return pagesOf(services).outOfBand(ctx, { code, state: request.state })
  }
  leaveTo(ctx, sharedLocation(request, code, offer.id))
}

async function check(
  ctx: RouteContext,
  services: OAuthServices,
  parameters: Parameters,
): Promise<SharingRequest> {
  const { instance } = ctx.state
  const draft = { ctx, instance, parameters }
  const client = await checkSharingOfClient(draft, services)
  const rules = parameters.text('scope').trim()
  const sharingId = parameters.text('sharing_id')
  const asked = { rules, client, ...(sharingId === '' ? {} : { sharingId }) }
  const offer = await services.options.sharings.parseRules(instance, asked)
  if (offer === undefined || (sharingId !== '' && offer.id !== sharingId))
    throw authorizeError('invalidScope')
  const codeChallenge = parameters.text('code_challenge')
  const request: AuthorizeRequest = {
    instance,
    client,
    redirectUri: parameters.text('redirect_uri'),
    state: parameters.text('state'),
    scope: scopeOf(offer, services.forbidden),
    permissions: offer.permissions,
    ...(codeChallenge === '' ? {} : { codeChallenge }),
  }
  return { request, offer }
}

async function grant(
  ctx: RouteContext,
  services: OAuthServices,
  { request, offer }: SharingRequest,
): Promise<string> {
  const { engine, emitter, log, options } = services
  const { instance, redirectUri, scope, state, codeChallenge } = request
  const { id } = request.client
  const seen = { userAgent: ctx.get('User-Agent'), withinLimit: true, shown: request.client }
  const client = await allowClient(services, instance, id, seen)
  await options.sharings.accept(instance, { offer, state, client }).catch(refuseGone)
  const code = await mintCode(engine, instance, {
    client,
    redirectUri,
    scope,
    ...(codeChallenge === undefined ? {} : { codeChallenge }),
    also: services.activity.pending(instance, {
      ...byOwner(ctx, services),
      event: 'consent.given',
      target: clientTarget(client),
      detail: { scope },
    }),
  })
  const address = services.clientAddress(ctx)
  emitter.emit('code.created', { instance, client, scope, address })
  log.info('sharing.accepted', { domain: instance.domain, sharingId: offer.id, clientId: id })
  return code
}
