import { Readable } from 'node:stream'
import type { HostServices } from '../services.ts'
import type { AdminRouting } from './owner-routes.ts'

/** The record of activity, for those who run the server. @see owner.md 5.7 */
export function addActivityRoutes(
  { route, instanceOf }: Pick<AdminRouting, 'instanceOf' | 'route'>,
  { activity, oauth }: Pick<HostServices, 'activity' | 'oauth'>,
): void {
  route('post', '/instances/:domain/activity/verify', 'instances:read', async (ctx) => {
    ctx.body = { ...(await activity.verify(await instanceOf(ctx))) }
  })

  route('post', '/instances/:domain/activity/export', 'transfers:export', async (ctx) => {
    const instance = await instanceOf(ctx)
    // Whoever takes the record away is part of it.
    await oauth.store.write([
      ...oauth.activity.pending(instance, {
        event: 'record.exported',
        actor: { kind: 'operator' },
      }),
    ])
    ctx.type = 'application/jsonl'
    ctx.body = Readable.from(activity.exportLines(instance), { objectMode: false })
  })
}
