import type { NotificationCategory } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import { CHANNELS } from '../outbox/notification.ts'
import type { CategoryPreference, SourcePreference } from './preferences.ts'
import type { StoredPreferences } from './preference-store.ts'
import type { NotificationSource } from './sources.ts'

/** The one resource of `GET /notifications/preferences`: every source and category with what applies to it. */
export function preferencesResource(
  instance: Instance,
  stored: StoredPreferences,
  sources: readonly NotificationSource[],
  namespace: string,
): Readonly<Record<string, unknown>> {
  const { preferences, revision } = stored
  return {
    type: `${namespace}.notifications.preferences`,
    id: 'preferences',
    meta: { rev: revision ?? null },
    attributes: {
      time_zone: instance.timeZone ?? null,
      quiet_hours: preferences.quietHours ?? null,
      sources: sources.map((source) => sourceJson(source, preferences.sources[source.id] ?? {})),
    },
    links: { self: '/notifications/preferences' },
  }
}

function sourceJson(source: NotificationSource, chosen: SourcePreference): Record<string, unknown> {
  return {
    id: source.id,
    kind: source.kind,
    name: source.name,
    ...(source.slug !== undefined && { slug: source.slug }),
    blocked: chosen.isBlocked === true,
    muted_until: isoOrNull(chosen.mutedUntil),
    categories: [...source.categories].map(([name, category]) =>
      categoryJson(name, category, chosen.categories?.[name] ?? {}),
    ),
  }
}

function categoryJson(
  name: string,
  { description }: NotificationCategory,
  chosen: CategoryPreference,
): Record<string, unknown> {
  return {
    name,
    description: description ?? '',
    channels: Object.fromEntries(
      CHANNELS.map((channel) => [channel, !(chosen.off ?? []).includes(channel)]),
    ),
    muted_until: isoOrNull(chosen.mutedUntil),
    digest: chosen.digest ?? null,
  }
}

function isoOrNull(instant: number | undefined): string | null {
  return instant === undefined ? null : new Date(instant).toISOString()
}
