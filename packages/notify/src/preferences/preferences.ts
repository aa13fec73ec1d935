import type { ChannelName } from '../outbox/notification.ts'
import type { DigestInterval } from './digest-times.ts'
import type { QuietHours } from './quiet-hours.ts'

/** The owner's choices for one category of one source. */
export interface CategoryPreference {
  /** Channels that are off; what is left out is on. */
  readonly off?: readonly ChannelName[]
  /** Nothing until then; milliseconds since the epoch. */
  readonly mutedUntil?: number
  readonly digest?: DigestInterval
}

/** The owner's choices for one source: an app with its linked clients (D30), a client, a konnector. */
export interface SourcePreference {
  /** Nothing of it reaches the owner. */
  readonly isBlocked?: true
  readonly mutedUntil?: number
  readonly categories?: Readonly<Record<string, CategoryPreference>>
}

/** The owner's choices about notifications; what is not there is as it was from the start: everything on, at once. */
export interface Preferences {
  readonly quietHours?: QuietHours
  /** By `AccessContext.owner` of the poster. */
  readonly sources: Readonly<Record<string, SourcePreference>>
}

export const NO_PREFERENCES: Preferences = { sources: {} }

/** Sources, and categories of one, above which choices for those that are gone are dropped. */
export const MAX_SOURCES = 500
export const MAX_CATEGORIES = 50

/** The channels of a list that the owner left on for the category. */
export function channelsLeft(
  preference: CategoryPreference | undefined,
  wanted: readonly ChannelName[],
): readonly ChannelName[] {
  return wanted.filter((channel) => !(preference?.off ?? []).includes(channel))
}

/**
 * Whether a source or category is off as a whole at a time.
 * @param channels - all that the owner may choose of
 */
export function isMuted(
  source: SourcePreference | undefined,
  category: CategoryPreference | undefined,
  now: number,
  channels: readonly ChannelName[],
): boolean {
  if (source?.isBlocked === true) return true
  if ((source?.mutedUntil ?? 0) > now || (category?.mutedUntil ?? 0) > now) return true
  return channelsLeft(category, channels).length === 0
}
