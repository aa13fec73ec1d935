import { OAuthError } from '../errors.ts'
import {
  type Instance,
  originOfApp,
  prefersJson,
  type RouteContext,
  type RouteRow,
} from '@svc/platform'
import type { OwnerSessions } from '../ports.ts'
import { sharingSchema } from './authorize.schema.ts'
import type { AuthorizeDraft } from './authorize-request.ts'
import { checkSharing } from './checks.ts'
import { authorizeError } from './page-texts.ts'
import { append } from './redirect.ts'
import { refuseGone } from './sharing-offer.ts'
import { createSharingOfClient, type SharingOfClientDependencies } from './sharing-of-client.ts'
import type { SharingOffer, SharingPlace, Sharings } from './sharings.ts'

export interface SharingDependencies extends SharingOfClientDependencies {
  readonly sharings: Sharings
  /** Given with `oauth.useSessions`: asked when a request comes. */
  readonly sessions: () => OwnerSessions
}

const ID = /^[A-Za-z0-9_-]{1,128}$/
/** The rows of sharings, in both forms. @see oauth.md 5.9; decision D31 */
export function sharingRows(dependencies: SharingDependencies): RouteRow[] {
  const { sharings, sessions, pages } = dependencies
  const ofClient = createSharingOfClient(dependencies)

  async function show(ctx: RouteContext): Promise<void> {
    const { instance, query } = ctx.state
    if (query.has('client_id')) return ofClient.show(ctx)
    checkSharing({ ctx, instance, parameters: query })
    if ((await sessions().current(ctx)) === undefined) return pages().login(ctx)
    const { offer, state } = await find({ ctx, instance, parameters: query })
    // A HEAD request makes nothing.
    if (query.text('shortcut') === 'true' && sharings.addShortcut && ctx.method === 'GET') {
      const place = await sharings.addShortcut(instance, { offer, state }).catch(refuseGone)
      return redirect(ctx, placeOf(instance, offer, place))
    }
    await pages().sharing(ctx, {
      sharer: offer.sharer,
      permissions: offer.permissions,
      ...(offer.description === undefined ? {} : { description: offer.description }),
      cancelUrl: `/auth/authorize/sharing/${offer.id}/cancel?state=${encodeURIComponent(state)}`,
      fields: { sharing_id: offer.id, state },
      formActionSource: originOfApp(instance, offer.appSlug),
    })
  }

  async function accept(ctx: RouteContext): Promise<void> {
    const { instance, form } = ctx.state
    if (form.has('client_id')) return ofClient.accept(ctx)
    if ((await sessions().current(ctx)) === undefined) throw new OAuthError('not_authenticated')
    const { offer, state } = await find({ ctx, instance, parameters: form })
    const place = await sharings.accept(instance, { offer, state }).catch(refuseGone)
    dependencies.log.info('sharing.accepted', { domain: instance.domain, sharingId: offer.id })
    redirect(ctx, placeOf(instance, offer, place))
  }

  async function cancel(ctx: RouteContext): Promise<void> {
    const { instance, query } = ctx.state
    if ((await sessions().current(ctx)) === undefined) throw new OAuthError('not_authenticated')
    const id = String(ctx['params'].id)
    const url = ID.test(id)
      ? await sharings.cancelUrl(instance, id, query.text('state'))
      : undefined
    redirect(ctx, isWeb(url) ? url : `${instance.origin}/`)
  }

  async function find(
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

  const shared = { family: 'html', auth: ['session cookie'] } as const
  return [
    {
      ...shared,
      method: 'GET',
      path: '/auth/authorize/sharing',
      handler: show,
      statuses: [200, 302, 400],
      summary: 'Asks the owner whether to take part in a sharing.',
      source: 'oauth.md 5.9, decision D31',
    },
    {
      ...shared,
      method: 'POST',
      path: '/auth/authorize/sharing',
      handler: accept,
      // A request without any body still meets the CSRF rule first.
      body: { types: ['form'], optional: true, schema: sharingSchema },
      csrf: 'token',
      statuses: [200, 302, 400, 401, 403, 413, 415],
      summary: 'Takes part in a sharing, and gives the client that asked a code for it.',
      source: 'oauth.md 5.9, decision D31',
    },
    {
      ...shared,
      method: 'GET',
      path: '/auth/authorize/sharing/:id/cancel',
      handler: cancel,
      statuses: [302, 400, 401],
      summary: 'Leads away from a sharing without taking part.',
      source: 'oauth.md 5.9',
    },
  ]
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
