import type { NotificationCategory } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import type { NotifyServices } from '../services.ts'
import { channelNames, labelOf } from './channel-choice.ts'
import type { CategoryPreference, SourcePreference } from './preferences.ts'
import type { StoredPreferences } from './preference-store.ts'
import type { NotificationSource } from './sources.ts'

/** The one resource of `GET /notifications/preferences`: every source and category with what applies to it. */
export function preferencesResource(
  instance: Instance,
  stored: StoredPreferences,
  sources: readonly NotificationSource[],
  services: Pick<NotifyServices, 'hostChannels' | 'namespace'>,
): Readonly<Record<string, unknown>> {
  const { preferences, revision } = stored
  const { hostChannels, namespace } = services
  const names = channelNames(services)
  return {
    type: `${namespace}.notifications.preferences`,
    id: 'preferences',
    meta: { rev: revision ?? null },
    attributes: {
      time_zone: instance.timeZone ?? null,
      quiet_hours: preferences.quietHours ?? null,
      sources: sources.map((source) =>
        sourceJson(source, preferences.sources[source.id] ?? {}, names),
      ),
      ...(hostChannels.length > 0 && {
        channels: hostChannels.map((channel) => ({
          name: channel.name,
          label: labelOf(channel, instance.locale),
        })),
      }),
    },
    links: { self: '/notifications/preferences' },
  }
}

function sourceJson(
  source: NotificationSource,
  chosen: SourcePreference,
  names: readonly string[],
): Record<string, unknown> {
  return {
    id: source.id,
    kind: source.kind,
    name: source.name,
    ...(source.slug !== undefined && { slug: source.slug }),
    blocked: chosen.isBlocked === true,
    muted_until: isoOrNull(chosen.mutedUntil),
    categories: [...source.categories].map(([name, category]) =>
      categoryJson(name, category, chosen.categories?.[name] ?? {}, names),
    ),
  }
}

function categoryJson(
  name: string,
  { description }: NotificationCategory,
  chosen: CategoryPreference,
  names: readonly string[],
): Record<string, unknown> {
  return {
    name,
    description: description ?? '',
    channels: Object.fromEntries(
      names.map((channel) => [channel, !(chosen.off ?? []).includes(channel)]),
    ),
    muted_until: isoOrNull(chosen.mutedUntil),
    digest: chosen.digest ?? null,
  }
}

function isoOrNull(instant: number | undefined): string | null {
  return instant === undefined ? null : new Date(instant).toISOString()
}
