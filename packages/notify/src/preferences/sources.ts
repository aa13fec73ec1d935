import { linkedSlug, type NotificationCategory, parseCategories } from '@svc/oauth-core'
import { type Instance } from '@svc/platform'
import type { NotifyServices } from '../services.ts'
import type { Preferences } from './preferences.ts'

/** Something that may post, as the owner knows it. */
export interface NotificationSource {
  /** `AccessContext.owner` of its tokens: the key of its preferences. */
  readonly id: string
  readonly kind: 'app' | 'client' | 'konnector'
  readonly name: string
  readonly slug?: string
  readonly categories: ReadonlyMap<string, NotificationCategory>
}

type SourceServices = Pick<NotifyServices, 'apps' | 'namespace' | 'oauth'>

/** Lists what may post to an instance, by name. Removed ones keep their preferences and are listed without categories. */
export async function listSources(
  services: SourceServices,
  instance: Instance,
  preferences: Preferences,
): Promise<readonly NotificationSource[]> {
  const { apps, namespace, oauth } = services
  const installed = (await oauth.apps.listInstalled(instance)).map((app) => ({
    id: `${namespace}.apps/${app.slug}`,
    kind: 'app' as const,
    slug: app.slug,
    name: app.name,
    categories: parseCategories(app.notifications ?? {}).categories,
  }))
  const fetching = ((await apps.konnectors?.(instance)) ?? []).map((konnector) => ({
    id: `${namespace}.konnectors/${konnector.slug}`,
    kind: 'konnector' as const,
    slug: konnector.slug,
    name: konnector.name ?? konnector.slug,
    categories: parseCategories(konnector.notifications ?? {}).categories,
  }))
  const known = [...installed, ...fetching, ...(await declaringClients(services, instance))]
  return known
    .filter(({ id, categories }) => categories.size > 0 || Object.hasOwn(preferences.sources, id))
    .toSorted((one, other) => one.name.localeCompare(other.name, instance.locale))
}

async function declaringClients(
  { namespace, oauth }: SourceServices,
  instance: Instance,
): Promise<NotificationSource[]> {
  const found: NotificationSource[] = []
  let cursor: string | undefined
  do {
    const page = await oauth.clients.list(instance, {
      limit: 100,
      ...(cursor !== undefined && { cursor }),
    })
    for (const { id, metadata, pending } of page.clients) {
      const { notifications } = metadata
      // A linked client posts in the name of its app.
      if (pending || linkedSlug(metadata.software_id) !== undefined) continue
      const categories = parseCategories(notifications ?? {}).categories
      if (categories.size === 0) continue
      const owner = `${namespace}.oauth.clients/${id}`
      found.push({ id: owner, kind: 'client', name: metadata.client_name, categories })
    }
    cursor = page.cursor
  } while (cursor !== undefined)
  return found
}
