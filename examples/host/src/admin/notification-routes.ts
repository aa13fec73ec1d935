import { checkBody } from './admin.schema.ts'
import { type InternalNotification, NotifyError } from '@svc/notify'
import type { HostServices } from '../services.ts'
import { AdminError } from './admin-error.ts'
import { notificationToWire, outboxEntryToWire } from './notification-wire.ts'
import type { AdminRouting } from './owner-routes.ts'

const DEFAULT_CATEGORY = 'operator'

/** What an operator tells an owner, and what became of anything the owner was told. @see notifications.md 2.7 */
export function addNotificationRoutes(
  { route, instanceOf }: Pick<AdminRouting, 'instanceOf' | 'route'>,
  { notify, outbox }: Pick<HostServices, 'notify' | 'outbox'>,
): void {
  route('post', '/instances/:domain/notifications', 'notifications:write', async (ctx) => {
    const { notification, properties } = checkBody('sendNotification', ctx.request.body)
    const instance = await instanceOf(ctx)
    const given = notification as Record<string, unknown> // by the schema, as the next one
    const declaration = (properties ?? {}) as Record<string, unknown>
    const record = await told(() => notify.post(instance, toInternal(given, declaration)))
    ctx.status = 201
    ctx.body = notificationToWire(record)
  })

  route('get', '/instances/:domain/notifications', 'notifications:read', async (ctx) => {
    const instance = await instanceOf(ctx)
    const cursor = ctx.query['cursor']
    const page = typeof cursor === 'string' ? { cursor } : {}
    const { notifications, ...rest } = await notify.operator.list(instance, page)
    ctx.body = { ...rest, notifications: notifications.map(notificationToWire) }
  })

  route('get', '/instances/:domain/notifications/:id', 'notifications:read', async (ctx) => {
    const instance = await instanceOf(ctx)
    const record = await notify.operator.find(instance, String(ctx['params'].id))
    if (record === undefined) throw new AdminError('notification_not_found', 404)
    const { content, contentHtml: content_html, data } = record
    ctx.body = { ...notificationToWire(record), content, content_html, data }
  })

  route('delete', '/instances/:domain/notifications/:id', 'notifications:write', async (ctx) => {
    const instance = await instanceOf(ctx)
    await told(() => notify.operator.cancel(instance, String(ctx['params'].id)))
    ctx.status = 204
  })

  route('get', '/instances/:domain/outbox', 'mails:read', async (ctx) => {
    if (outbox === undefined) {
      throw new AdminError('no_outbox', 404, 'pushes and texts are sent: there is no outbox here')
    }
    ctx.body = { entries: (await outbox.list(await instanceOf(ctx))).map(outboxEntryToWire) }
  })
}

/** Shapes are those of the schema; what they mean is judged as if it came from an app. */
function toInternal(
  given: Readonly<Record<string, unknown>>,
  declaration: Readonly<Record<string, unknown>>,
): InternalNotification {
  const {
    category,
    category_id: categoryId,
    preferred_channels: preferredChannels,
    ...rest
  } = given
  return {
    originator: 'cli',
    category: typeof category === 'string' ? category : DEFAULT_CATEGORY,
    declaration: { ...declaration, ...(categoryId !== undefined && { multiple: true }) },
    ...(categoryId !== undefined && { categoryId }),
    ...(preferredChannels !== undefined && { preferredChannels }),
    ...rest,
  } as InternalNotification
}

/** With every fault in the message. */
async function told<Answer>(act: () => Promise<Answer>): Promise<Answer> {
  try {
    return await act()
  } catch (error) {
    if (!NotifyError.is(error)) throw error
    const faults = (error.errors ?? []).map(({ title, detail, source }) => {
      const member = source !== undefined && 'pointer' in source ? source.pointer : ''
      return [member.split('/').at(-1), detail ?? title].filter(Boolean).join(': ')
    })
    throw new AdminError(error.code, error.status, faults.join('; '))
  }
}
