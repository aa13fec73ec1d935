import { type NotificationCategory, parseCategories, type ParsedCategories } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import { NotifyError } from '../notify-error.ts'
import type { CategoryFlags } from '../outbox/notification.ts'
import type { NotifyServices } from '../services.ts'
import type { TokenPoster } from './poster.ts'

type DeclarationServices = Pick<NotifyServices, 'apps' | 'log' | 'oauth' | 'posting'>

/**
 * Finds the category as the poster declared it, as it is installed or registered now.
 * @param name - from a request, anything
 * @throws NotifyError 403 `no_category`, `category_not_found`; 404 `app_not_found`
 * @see notifications.md 4.1
 */
export async function findCategory(
  services: DeclarationServices,
  instance: Instance,
  poster: TokenPoster,
  name: unknown,
): Promise<NotificationCategory> {
  const declared = await declaredBy(services, instance, poster)
  if (isNothing(declared) && poster.clientId === undefined) {
    throw new NotifyError('no_category', { description: 'No category for this app' })
  }
  const isObject = typeof declared === 'object' && declared !== null
  const categories = isObject
    ? parseOnce(services, poster.postedBy, declared).categories
    : undefined
  const category = typeof name === 'string' ? categories?.get(name) : undefined
  if (category === undefined) throw categoryNotFound()
  return category
}

/** Reads a category that comes with the notification, as in a manifest. @throws NotifyError 400 `invalid_notification` */
export function parseInlineCategory(name: string, declaration: unknown): NotificationCategory {
  const { categories, faults } = parseCategories({ [name]: declaration })
  const category = categories.get(name)
  if (category !== undefined) return category
  const description = faults[0] ?? 'the declaration is malformed'
  throw new NotifyError('invalid_notification', { description })
}

async function declaredBy(
  { apps, oauth }: DeclarationServices,
  instance: Instance,
  poster: TokenPoster,
): Promise<unknown> {
  const { access, clientId, slug = '' } = poster
  if (clientId !== undefined) return access.client?.metadata.notifications ?? {}
  if (poster.originator === 'konnector') {
    if (apps.konnector === undefined) return undefined
    return installed(await apps.konnector(instance, slug)).notifications
  }
  return installed(access.app ?? (await oauth.apps.installed(instance, slug))).notifications
}

function parseOnce(
  { log, posting }: DeclarationServices,
  source: string,
  declared: object,
): ParsedCategories {
  const known = posting.categories.get(declared)
  if (known !== undefined) return known
  const result = parseCategories(declared)
  posting.categories.set(declared, result)
  for (const fault of result.faults) log.warn('notification.category_ignored', { source, fault })
  return result
}

export function categoryNotFound(): NotifyError {
  const description = 'Notification category does not exist'
  return new NotifyError('category_not_found', { description })
}

/** Declaration in force for an accepted notification; later changes do not apply (4.1). */
export function toFlags(category: NotificationCategory): CategoryFlags {
  const { collapsible, stateful, multiple, sensitive } = category
  const { timeToLiveMs, minIntervalMs, templates } = category
  return {
    collapsible,
    stateful,
    multiple,
    sensitive,
    ...(timeToLiveMs !== undefined && { ttlMs: timeToLiveMs }),
    ...(minIntervalMs !== undefined && { minIntervalMs }),
    ...(templates !== undefined && { templates }),
  }
}

function installed<Manifest>(manifest: Manifest | undefined): Manifest {
  if (manifest === undefined) throw new NotifyError('app_not_found')
  return manifest
}

function isNothing(declared: unknown): boolean {
  if (declared === undefined || declared === null) return true
  return typeof declared === 'object' && Object.keys(declared).length === 0
}
