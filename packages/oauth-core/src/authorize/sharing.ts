import { byOwner } from '../registration/activity-source.ts'
import { type Instance, originOfApp, prefersJson, type RouteContext } from '@svc/platform'
import { OAuthError } from '../errors.ts'
import { type OAuthServices, pagesOf, sessionOf } from '../services.ts'
import type { AuthorizeDraft } from './authorize-request.ts'
import { checkSharing } from './checks.ts'
import { authorizeError } from './page-texts.ts'
import { append, leaveTo } from './redirect.ts'
import { acceptSharingOfClient, showSharingOfClient } from './sharing-of-client.ts'
import { refuseGone, type SharingOffer, type SharingPlace, type Sharings } from './sharings.ts'

// Sharings in both forms: the owner was invited, or a client asks. @see oauth.md 5.9; decision D31

const ID = /^[A-Za-z0-9_-]{1,128}$/

/** `GET /auth/authorize/sharing`: asks the owner whether to take part. */
export async function showSharing(ctx: RouteContext, services: OAuthServices): Promise<void> {
  const { instance, query } = ctx.state
  const { sharings } = services.options
  const pages = pagesOf(services)
  if (query.has('client_id')) return showSharingOfClient(ctx, services)
  checkSharing({ ctx, instance, parameters: query })
  if ((await sessionOf(ctx, services)) === undefined) return pages.login(ctx)
  const { offer, state } = await findOffer(sharings, { ctx, instance, parameters: query })
  // A HEAD request makes nothing.
  if (query.text('shortcut') === 'true' && sharings.addShortcut && ctx.method === 'GET') {
    const place = await sharings.addShortcut(instance, { offer, state }).catch(refuseGone)
    return redirect(ctx, placeOf(instance, offer, place))
  }
  await pages.sharing(ctx, {
    sharer: offer.sharer,
    permissions: offer.permissions,
    ...(offer.description === undefined ? {} : { description: offer.description }),
    cancelUrl: `/auth/authorize/sharing/${offer.id}/cancel?state=${encodeURIComponent(state)}`,
    fields: { sharing_id: offer.id, state },
    formActionSource: originOfApp(instance, offer.appSlug),
  })
}

/** `POST /auth/authorize/sharing`: takes part, and gives the client that asked a code for it. */
export async function acceptSharing(ctx: RouteContext, services: OAuthServices): Promise<void> {
  const { instance, form } = ctx.state
  const { sharings } = services.options
  if (form.has('client_id')) return acceptSharingOfClient(ctx, services)
  if ((await sessionOf(ctx, services)) === undefined) {
    throw new OAuthError('not_authenticated')
  }
  const { offer, state } = await findOffer(sharings, { ctx, instance, parameters: form })
  const place = await sharings.accept(instance, { offer, state }).catch(refuseGone)
  // The host keeps what is shared: there is no write of ours to be part of.
  const note = services.activity.pending(instance, {
    ...byOwner(ctx, services),
    event: 'share.made',
    target: { kind: 'share', id: offer.id },
  })
  if (note.length > 0) await services.store.write(note)
  services.log.info('sharing.accepted', { domain: instance.domain, sharingId: offer.id })
  leaveTo(ctx, placeOf(instance, offer, place))
}

/** `GET /auth/authorize/sharing/:id/cancel`: leads away without taking part. */
export async function cancelSharing(ctx: RouteContext, services: OAuthServices): Promise<void> {
  const { instance, query } = ctx.state
  const { sharings } = services.options
  if ((await sessionOf(ctx, services)) === undefined) {
    throw new OAuthError('not_authenticated')
  }
  const id = String(ctx['params'].id)
  const url = ID.test(id) ? await sharings.cancelUrl(instance, id, query.text('state')) : undefined
  redirect(ctx, isWeb(url) ? url : `${instance.origin}/`)
}

async function findOffer(
  sharings: Sharings,
  draft: AuthorizeDraft,
): Promise<{ readonly offer: SharingOffer; readonly state: string }> {
  checkSharing(draft)
  const { instance, parameters } = draft
  const state = parameters.text('state')
  const id = parameters.text('sharing_id')
  const offer = ID.test(id) ? await sharings.find(instance, id, state) : undefined
  if (offer === undefined) throw authorizeError('sharingGone')
  return { offer, state }
}

/** On the host of the app by construction: nothing of a request decides where it leads. */
function placeOf(
  instance: Instance,
  { id, appSlug }: SharingOffer,
  { path }: SharingPlace,
): string {
  if (!path.startsWith('/')) throw new TypeError('a sharing is shown at a path')
  const url = `${originOfApp(instance, appSlug)}${path}`
  const end = url.indexOf('#')
  const [address, fragment] = end === -1 ? [url, ''] : [url.slice(0, end), url.slice(end)]
  return `${append(address, [['sharing', id]])}${fragment}`
}

function isWeb(url: string | undefined): url is string {
  const { protocol } = URL.parse(url ?? '') ?? {}
  return protocol === 'https:' || protocol === 'http:'
}

function redirect(ctx: RouteContext, location: string): void {
  ctx.status = 302
  if (prefersJson(ctx)) ctx.type = 'application/json; charset=utf-8'
  ctx.set('Location', location)
  ctx.body = ''
}
