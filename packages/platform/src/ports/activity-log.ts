import type { Change } from '@svc/store'
import type { ActivityEventName } from '../activity/activity-events.ts'
import type { Instance } from '../instances/instance.ts'

/** Who did it. */
export interface ActivityActor {
  readonly kind: 'owner' | 'app' | 'client' | 'konnector' | 'operator' | 'server' | 'unknown'
  readonly id?: string
  readonly name?: string
  /** Of a client that renamed itself: the name by which its owner allowed it. */
  readonly formerName?: string
}

/** What it was done to. */
export interface ActivityTarget {
  readonly kind: string
  readonly id: string
  readonly name?: string
  /** As of an actor. */
  readonly formerName?: string
}

/** Where the request came from. */
export interface ActivityOrigin {
  /** Id of a known browser, never of a session. */
  readonly device?: string
  readonly ip?: string
  readonly country?: string
  readonly browser?: string
  readonly os?: string
}

/** Texts, safe integers, booleans, and lists and objects of these. */
export type ActivityDetail =
  | string
  | number
  | boolean
  | readonly ActivityDetail[]
  | { readonly [name: string]: ActivityDetail }

/**
 * Something that happened, for the owner. Never in it: secrets of any kind, session ids, whole addresses or numbers,
 * ids or contents of documents.
 * @see owner.md 5.2, 5.9
 */
export interface ActivityEvent {
  readonly event: ActivityEventName
  readonly actor: ActivityActor
  readonly origin?: ActivityOrigin
  readonly target?: ActivityTarget
  /** @defaultValue `ok` */
  readonly outcome?: 'ok' | 'refused'
  /** A stable code. */
  readonly reason?: string
  /** Names listed for the event, no free text. */
  readonly detail?: Readonly<Record<string, ActivityDetail>>
  readonly count?: number
  /** When what was allowed ends, milliseconds since the epoch. */
  readonly until?: number
}

/**
 * One of the things that happen too often for entries of their own; they are counted by day.
 * @see owner.md 5.6
 */
export interface ActivityUse {
  readonly event: 'account.used' | 'client.used'
  /** The client or the account. */
  readonly of: ActivityTarget
  readonly what: 'changes' | 'credentials' | 'reads' | 'refreshes'
  /** Kind of data, of reads and changes; never which document. */
  readonly type?: string
}

/** Notes what happened, usually in the record of `@svc/activity`; without that package it does nothing. */
export interface ActivityLog {
  /**
   * The changes that note an event: they belong into the very write of the action, so that no acknowledged action lacks
   * its entry. None without a record.
   */
  pending(instance: Pick<Instance, 'id'>, event: ActivityEvent): readonly Change[]
  /**
   * Notes a refusal that anybody can cause. It is bounded, so that strangers cannot fill the record, and never rejects.
   * @see owner.md 5.5
   */
  refused(instance: Pick<Instance, 'id'>, event: ActivityEvent): Promise<void>
  /** Counts a use in memory; a process that is killed loses those of its last minute. */
  used(instance: Pick<Instance, 'id' | 'timeZone'>, use: ActivityUse): void
}

/** Where nobody keeps a record. */
export const NO_ACTIVITY: ActivityLog = {
  pending: () => [],
  refused: () => Promise.resolve(),
  used: () => {},
}
