import type { Instance } from '@svc/platform'
import type { NotificationRecord } from '../../outbox/notification.ts'
import { toTitle } from '../../mail/clean-text.ts'
import { renderText } from '../../render/content.ts'
import type { RenderServices } from '../../services.ts'
import type { OutgoingPush } from './push-gateway.ts'

/** Content of a push, before it is cut to the provider's size. */
export interface PushContent extends Pick<OutgoingPush, 'body' | 'data' | 'title'> {
  /** Its title on the flagship app, which shows the notifications of all apps. */
  readonly flagshipTitle: string
  readonly warnings: readonly string[]
}

/** @see notifications.md 10 "Content per channel", 16.1 (4), 23.10 */
export async function contentOf(
  services: RenderServices,
  instance: Instance,
  record: NotificationRecord,
): Promise<PushContent> {
  if (record.flags.sensitive) return sensitiveContent(services, instance, record)
  const { title, body, warnings } = await renderText(services, 'mobile', instance, record)
  const data = record.data ?? {}
  const given = Object.hasOwn(data, 'appName') ? data['appName'] : undefined
  const name = toTitle(typeof given === 'string' ? given : (record.slug ?? ''))
  const flagshipTitle = name === '' ? title : `${name} - ${title}`
  return { title, flagshipTitle, body, data, warnings }
}

/** Passes through companies that may read it: says whose it is and where to read it, nothing more. */
async function sensitiveContent(
  { catalogueOf, oauth }: RenderServices,
  instance: Instance,
  record: NotificationRecord,
): Promise<PushContent> {
  const app = toTitle(await nameOfPoster(oauth, instance, record))
  const title = catalogueOf(instance.locale).text('push.sensitive', { app })
  return { title, flagshipTitle: title, body: '', data: { id: record.id }, warnings: [] }
}

async function nameOfPoster(
  { apps, clients }: RenderServices['oauth'],
  instance: Instance,
  { slug, clientId }: NotificationRecord,
): Promise<string> {
  if (slug !== undefined) return (await apps.installed(instance, slug))?.name ?? slug
  const client = clientId === undefined ? undefined : await clients.get(instance, clientId)
  return client?.metadata.client_name ?? instance.domain
}
