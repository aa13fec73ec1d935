import { OAuthError } from '@svc/oauth-core'
import { defineRoute, type Route, type RouteContext } from '@svc/platform'
import { DEV_PAGE, type DevPageServices } from './dev-pages.ts'
import { escape, sendPage } from './dev-page.ts'
import type { DevOutbox, Kept, OutboxEntry } from '../../notifications/development.ts'

/** What the pages of the development outbox stand on. */
export interface OutboxPageServices extends DevPageServices {
  readonly outbox: DevOutbox
}

/** The development outbox: pushes and texts of an instance that no provider takes. Only the owner should know them. */
export const outboxRoutes: readonly Route<OutboxPageServices>[] = [
  defineRoute({
    ...DEV_PAGE,
    path: '/dev/outbox',
    handler: listEntries,
    summary:
      'Lists the last pushes and texts, newest first. Development only, from this machine only.',
  }),
  defineRoute({
    ...DEV_PAGE,
    path: '/dev/outbox/:id',
    handler: showEntry,
    summary: 'One push or text, with the data that the app on the device would get.',
  }),
]

async function listEntries(ctx: RouteContext, { outbox }: OutboxPageServices): Promise<void> {
  const entries = await outbox.list(ctx.state.instance)
  sendPage(ctx, 'Pushes and texts', entries.length === 0 ? NONE : listOf(entries))
}

async function showEntry(ctx: RouteContext, { outbox }: OutboxPageServices): Promise<void> {
  const found = await outbox.get(ctx.state.instance, String(ctx.params['id']))
  if (found === undefined) throw new OAuthError('not_found')
  const { item } = found
  sendPage(ctx, titleOf(item), `${detailsOf(item)}\n<p><a href="/dev/outbox">All</a></p>`)
}

const NONE = `<p>Nothing yet.</p>
<p>Pushes go to clients that were registered with <code>notification_platform</code> and <code>notification_device_token</code> and that were allowed in.</p>`

function listOf(entries: readonly Kept<OutboxEntry>[]): string {
  const items = entries.map(({ id, keptAt, item }) => {
    const time = new Date(keptAt).toISOString()
    return `<li><a href="/dev/outbox/${id}">${escape(titleOf(item))}</a><br>${escape(receiverOf(item))}, <time datetime="${time}">${time}</time></li>`
  })
  return `<ol>${items.join('\n')}</ol>`
}

function titleOf(entry: OutboxEntry): string {
  return entry.kind === 'push' ? entry.title : entry.text
}

function receiverOf(entry: OutboxEntry): string {
  if (entry.kind === 'text') return `Text to ${entry.number}`
  return `Push to ${entry.device} (${entry.platform})`
}

function detailsOf(entry: OutboxEntry): string {
  const to = `<p>${escape(receiverOf(entry))}</p>`
  if (entry.kind === 'text') return `${to}\n<pre>${escape(entry.text)}</pre>`
  const { body, data, priority = 'none' } = entry
  return `${to}
<pre>${escape(body)}</pre>
<h2>Data</h2>
<pre>${escape(JSON.stringify(data, null, 2))}</pre>
<p>Priority: ${escape(priority)}. Notification: <code>${escape(entry.notification)}</code></p>`
}
