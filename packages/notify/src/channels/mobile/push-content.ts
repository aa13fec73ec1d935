import type { OAuth } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import type { Catalogue } from '../../mail/catalogue.ts'
import type { NotificationRecord } from '../../outbox/notification.ts'
import { toTitle } from '../../mail/clean-text.ts'
import type { ContentRenderer } from '../../render/content.ts'
import type { OutgoingPush } from './push-gateway.ts'

/** What a push says, before it is cut to the provider's size. */
export interface PushContent extends Pick<OutgoingPush, 'body' | 'data' | 'title'> {
  /** Its title on the flagship app, which shows the notifications of all apps. */
  readonly flagshipTitle: string
  readonly warnings: readonly string[]
}

export interface PushContentParts {
  readonly oauth: Pick<OAuth, 'apps' | 'clients'>
  readonly renderer: Pick<ContentRenderer, 'mobile'>
  readonly catalogueOf: (locale: string) => Catalogue
}

/** @see notifications.md 10 "Content per channel", 16.1 (4), 23.10 */
export async function contentOf(
  parts: PushContentParts,
  instance: Instance,
  record: NotificationRecord,
): Promise<PushContent> {
  if (record.flags.sensitive) return sensitiveContent(parts, instance, record)
  const { title, body, warnings } = await parts.renderer.mobile(instance, record)
  const data = record.data ?? {}
  const given = Object.hasOwn(data, 'appName') ? data['appName'] : undefined
  const name = toTitle(typeof given === 'string' ? given : (record.slug ?? ''))
  const flagshipTitle = name === '' ? title : `${name} - ${title}`
  return { title, flagshipTitle, body, data, warnings }
}

/** Passes through companies that may read it: says whose it is and where to read it, nothing more. */
async function sensitiveContent(
  { oauth, catalogueOf }: PushContentParts,
  instance: Instance,
  record: NotificationRecord,
): Promise<PushContent> {
  const app = toTitle(await nameOfPoster(oauth, instance, record))
  const title = catalogueOf(instance.locale).text('push.sensitive', { app })
  return { title, flagshipTitle: title, body: '', data: { id: record.id }, warnings: [] }
}

async function nameOfPoster(
  { apps, clients }: PushContentParts['oauth'],
  instance: Instance,
  { slug, clientId }: NotificationRecord,
): Promise<string> {
  if (slug !== undefined) return (await apps.installed(instance, slug))?.name ?? slug
  const client = clientId === undefined ? undefined : await clients.get(instance, clientId)
  return client?.metadata.client_name ?? instance.domain
}
