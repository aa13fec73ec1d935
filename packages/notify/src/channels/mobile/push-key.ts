import type { RouteContext, RouteRow } from '@svc/platform'
import { NotifyError } from '../../notify-error.ts'
import type { WebPushOptions } from './webpush/vapid.ts'

/**
 * `GET /notifications/push_key`: what browsers subscribe with. Stands before every row with a parameter in its place.
 * @see decision D37; RFC 8292 3.2
 */
export function pushKeyRows(options: {
  /** Absent: web push is off. */
  readonly webpush: Pick<WebPushOptions, 'publicKey'> | undefined
  readonly namespace: string
}): readonly RouteRow[] {
  const { webpush, namespace } = options

  function sendPushKey(ctx: RouteContext): void {
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

  return [
    {
      method: 'GET',
      path: '/notifications/push_key',
      handler: sendPushKey,
      auth: ['none'],
      statuses: [200, 400, 404],
      family: 'jsonapi',
      cors: 'app-origins-or-any',
      summary: 'Answers the public key that browsers subscribe to web pushes with.',
      source: 'D37; RFC 8292',
    },
  ]
}
