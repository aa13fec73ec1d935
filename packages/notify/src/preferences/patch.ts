import type { NotifyFault } from '../notify-error.ts'
import type { ChannelName } from '../outbox/notification.ts'
import { isDigestInterval } from './digest-times.ts'
import {
  type CategoryPreference,
  MAX_CATEGORIES,
  MAX_SOURCES,
  type Preferences,
  type SourcePreference,
} from './preferences.ts'
import type { NotificationSource } from './sources.ts'
import { isTimeZone } from './zoned-time.ts'

/** What `PATCH /notifications/preferences` carries, its shape checked; absent members stay as they are. */
export interface PreferencesPatch {
  /** IANA name; null: none. */
  readonly time_zone?: string | null
  readonly quiet_hours?: { readonly start: string; readonly end: string } | null
  readonly sources?: readonly SourcePatch[]
}

export interface SourcePatch {
  readonly id: string
  readonly blocked?: boolean
  /** RFC 3339 with offset; null: not muted. */
  readonly muted_until?: string | null
  readonly categories?: readonly CategoryPatch[]
}

export interface CategoryPatch {
  readonly name: string
  readonly channels?: Readonly<Partial<Record<ChannelName, boolean>>>
  readonly muted_until?: string | null
  readonly digest?: string | null
}

const AT = '/data/attributes'
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

/** Everything a schema cannot say, at once. */
export function patchFaults(
  patch: PreferencesPatch,
  sources: readonly NotificationSource[],
  channels: readonly ChannelName[],
): readonly NotifyFault[] {
  const faults: NotifyFault[] = []
  const fault = (path: string, description: string): void =>
    void faults.push({ code: 'invalid_attribute', description, pointer: `${AT}/${path}` })
  const { time_zone: zone, quiet_hours: quiet } = patch
  if (typeof zone === 'string' && !isTimeZone(zone)) fault('time_zone', 'is no known time zone')
  if (quiet !== undefined && quiet !== null && quiet.start === quiet.end) {
    fault('quiet_hours', 'start and end are the same: then nothing would ever be sent')
  }
  for (const [at, source] of (patch.sources ?? []).entries()) {
    const known = sources.find(({ id }) => id === source.id)
    if (known === undefined) fault(`sources/${at}/id`, 'nothing of this id may post')
    if (!isInstant(source.muted_until)) fault(`sources/${at}/muted_until`, 'is no RFC 3339 time')
    for (const [place, category] of (source.categories ?? []).entries()) {
      const path = `sources/${at}/categories/${place}`
      if (known !== undefined && !known.categories.has(category.name)) {
        fault(`${path}/name`, 'the source declares no such category')
      }
      if (!isInstant(category.muted_until)) fault(`${path}/muted_until`, 'is no RFC 3339 time')
      for (const name of Object.keys(category.channels ?? {})) {
        if (!channels.includes(name))
          fault(`${path}/channels/${name}`, 'this server has no such channel')
      }
      const { digest } = category
      if (typeof digest === 'string' && !isDigestInterval(digest)) {
        fault(`${path}/digest`, 'is none of 15m, 1h, daily@HH:MM')
      }
    }
  }
  return faults
}

function isInstant(text: string | null | undefined): boolean {
  if (text === undefined || text === null) return true
  return INSTANT.test(text) && !Number.isNaN(Date.parse(text))
}

/**
 * The preferences with a patch that has no faults. Once there are many choices, those for what is gone are dropped: apps,
 * clients and categories come and go.
 * @param known - what may post now
 */
export function applyPatch(
  current: Preferences,
  patch: PreferencesPatch,
  known: readonly NotificationSource[],
): Preferences {
  const quietHours = patch.quiet_hours === undefined ? current.quietHours : patch.quiet_hours
  const sources = new Map(Object.entries(current.sources))
  for (const source of patch.sources ?? []) {
    const declared = known.find(({ id }) => id === source.id)?.categories
    const next = patchedSource(sources.get(source.id) ?? {}, source, declared)
    if (Object.keys(next).length === 0) sources.delete(source.id)
    else sources.set(source.id, next)
  }
  if (sources.size > MAX_SOURCES) {
    const kept = new Set([...known, ...(patch.sources ?? [])].map(({ id }) => id))
    for (const id of sources.keys()) if (!kept.has(id)) sources.delete(id)
  }
  return {
    ...(quietHours !== undefined && quietHours !== null && { quietHours }),
    sources: Object.fromEntries(sources),
  }
}

function patchedSource(
  current: SourcePreference,
  patch: SourcePatch,
  declared: NotificationSource['categories'] | undefined,
): SourcePreference {
  const isBlocked = patch.blocked ?? current.isBlocked === true
  const mutedUntil = patchedInstant(current.mutedUntil, patch.muted_until)
  const categories = new Map(Object.entries(current.categories ?? {}))
  for (const category of patch.categories ?? []) {
    const next = patchedCategory(categories.get(category.name) ?? {}, category)
    if (Object.keys(next).length === 0) categories.delete(category.name)
    else categories.set(category.name, next)
  }
  if (categories.size > MAX_CATEGORIES) {
    const named = new Set((patch.categories ?? []).map(({ name }) => name))
    for (const name of categories.keys()) {
      if (declared?.has(name) !== true && !named.has(name)) categories.delete(name)
    }
  }
  return {
    ...(isBlocked && { isBlocked }),
    ...(mutedUntil !== undefined && { mutedUntil }),
    ...(categories.size > 0 && { categories: Object.fromEntries(categories) }),
  }
}

function patchedCategory(current: CategoryPreference, patch: CategoryPatch): CategoryPreference {
  const changed = Object.entries(patch.channels ?? {})
  // Unnamed parts stay, also those of a channel that the host does not offer now.
  const kept = (current.off ?? []).filter((name) => patch.channels?.[name] === undefined)
  const off = [
    ...kept,
    ...changed.flatMap(([name, isOn]) => (isOn === false ? [name] : [])),
  ].toSorted()
  const mutedUntil = patchedInstant(current.mutedUntil, patch.muted_until)
  const digest = patch.digest === undefined ? current.digest : patch.digest
  return {
    ...(off.length > 0 && { off }),
    ...(mutedUntil !== undefined && { mutedUntil }),
    ...(typeof digest === 'string' && isDigestInterval(digest) && { digest }),
  }
}

function patchedInstant(
  current: number | undefined,
  patch: string | null | undefined,
): number | undefined {
  if (patch === undefined) return current
  return patch === null ? undefined : Date.parse(patch)
}
