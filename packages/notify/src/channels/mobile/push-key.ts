import { anybody, defineRoute, type Route, type RouteContext } from '@svc/platform'
import { NotifyError } from '../../notify-error.ts'
import type { NotifyServices } from '../../services.ts'

type PushKeyServices = Pick<NotifyServices, 'namespace' | 'webpush'>

/** What browsers subscribe with. @see decision D37; RFC 8292 3.2 */
export const pushKeyRoute: Route<PushKeyServices> = defineRoute({
  method: 'GET',
  path: '/notifications/push_key',
  handler: showPushKey,
  auth: anybody,
  statuses: [200, 400, 404],
  family: 'jsonapi',
  cors: 'app-origins-or-any',
  summary: 'Answers the public key that browsers subscribe to web pushes with.',
  source: 'D37; RFC 8292',
})

function showPushKey(ctx: RouteContext, { namespace, webpush }: PushKeyServices): void {
  if (webpush === undefined) throw new NotifyError('not_found')
  ctx.type = 'application/vnd.api+json'
  ctx.body = {
    data: {
      type: `${namespace}.notifications.push_keys`,
      id: 'webpush',
      attributes: { public_key: webpush.publicKey },
    },
  }
}
