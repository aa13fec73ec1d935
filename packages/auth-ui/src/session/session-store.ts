import { type OAuth } from '@svc/oauth-core'
import { type Instance, randomHex } from '@svc/platform'
import {
  type Change,
  indexKey,
  type IndexKey,
  type Json,
  type Key,
  type Revision,
  recordKey,
  type Store,
} from '@svc/store'
import type { Lifetimes } from '../lifetimes.ts'
import type { HostHooks, SessionEnd } from '../ports.ts'
import { type Session, type SessionId, sessionEnd } from './session.ts'
import type { AuthUiLog } from '../log/log-events.ts'

/** A session as read, with what a conditional write needs. */
export interface StoredSession {
  readonly session: Session
  readonly revision: Revision
}

/** The owner's sessions. Deleting wins: nothing here can bring a deleted one back. */
export interface SessionStore {
  newId(): SessionId
  /** The live session, or undefined. */
  get(instance: Instance, id: SessionId): Promise<StoredSession | undefined>
  /** Newest first. */
  list(instance: Instance): Promise<readonly Session[]>
  /** The change that stores a session: a new one, or one that was read and is still there. */
  put(instance: Instance, session: Session, revision?: Revision): Change
  /** The change that ends a session; `announceEnd` after the write. */
  remove(instance: Instance, id: SessionId): Change
  /** Tells other packages and processes. */
  announceEnd(
    instance: Instance,
    sessionIds: readonly SessionId[],
    reason: SessionEnd,
  ): Promise<void>
  /** Ends one. False when there was none. @param also - more changes of the same write */
  end(
    instance: Instance,
    id: SessionId,
    reason: SessionEnd,
    also?: readonly Change[],
  ): Promise<boolean>
  /** Ends those unused for longest when there are more than 100. @param opened - the newest, which stays */
  bound(instance: Instance, opened: SessionId): Promise<void>
  /**
   * Ends all but one.
   * @param also - more changes of the write that ends the first ones
   * @returns how many
   */
  endAll(
    instance: Instance,
    reason: SessionEnd,
    except?: SessionId,
    also?: readonly Change[],
  ): Promise<number>
}

/** What {@link createSessionStore} needs. */
export interface SessionStoreOptions {
  readonly store: Store
  readonly lifetimes: Lifetimes
  readonly hooks: HostHooks
  readonly log: AuthUiLog
  /** Tells every process, so that tokens and connections of the sessions end. */
  readonly revoked: OAuth['revoked']
}

const BATCH = 100
/** Of an instance. @see operation.md 8.1 */
const MAX_SESSIONS = 100

/** Expiry is decided by the stored instant. */
export function createSessionStore(options: SessionStoreOptions): SessionStore {
  const { store, lifetimes, hooks, log, revoked } = options

  async function list(instance: Instance): Promise<readonly Session[]> {
    const sessions: Session[] = []
    let cursor: string | undefined
    do {
      const page = await store.list(indexOf(instance), {
        order: 'desc',
        ...(cursor === undefined ? {} : { cursor }),
      })
      for (const record of page.records) sessions.push(fromJson(record.value))
      cursor = page.cursor
    } while (cursor !== undefined)
    return sessions
  }

  async function announceEnd(
    instance: Instance,
    sessionIds: readonly SessionId[],
    reason: SessionEnd,
  ): Promise<void> {
    if (sessionIds.length === 0) return
    log.info('session.ended', { domain: instance.domain, count: sessionIds.length, reason })
    const tellHost = async (): Promise<void> =>
      hooks.onSessionsEnded?.({ instance, sessionIds, reason })
    const told = [revoked(instance, 'session', sessionIds), tellHost()]
    for (const outcome of await Promise.allSettled(told)) {
      // The sessions are gone from the store whatever became of the news.
      if (outcome.status === 'rejected')
        log.error('session.end_untold', { cause: String(outcome.reason) })
    }
  }

  async function endAll(
    instance: Instance,
    reason: SessionEnd,
    except?: SessionId,
    also: readonly Change[] = [],
  ): Promise<number> {
    const ids = (await list(instance)).map(({ id }) => id).filter((id) => id !== except)
    for (let at = 0; at < ids.length; at += BATCH) {
      const removals = ids.slice(at, at + BATCH).map((id) => remove(instance, id))
      await store.write(at === 0 ? [...removals, ...also] : removals)
    }
    await announceEnd(instance, ids, reason)
    return ids.length
  }

  async function bound(instance: Instance, opened: SessionId): Promise<void> {
    const all = await list(instance)
    const ids = all
      .filter(({ id }) => id !== opened)
      .toSorted((one, other) => one.lastSeen - other.lastSeen)
      .slice(0, Math.max(0, all.length - MAX_SESSIONS))
      .map(({ id }) => id)
    for (let at = 0; at < ids.length; at += BATCH) {
      await store.write(ids.slice(at, at + BATCH).map((id) => remove(instance, id)))
    }
    await announceEnd(instance, ids, 'replaced')
  }

  function remove(instance: Instance, id: SessionId): Change {
    return { op: 'delete', key: keyOf(instance, id) }
  }

  return {
    newId: () => randomHex(16) as SessionId,
    async get(instance, id) {
      const record = await store.get(keyOf(instance, id))
      if (record === undefined) return undefined
      return { session: fromJson(record.value), revision: record.revision }
    },
    list,
    put: (instance, session, revision) => ({
      op: 'put',
      key: keyOf(instance, session.id),
      value: { ...session },
      expiresAt: sessionEnd(session, lifetimes),
      indexes: [{ index: indexOf(instance), sort: sortOf(session) }],
      ...(revision === undefined ? { ifAbsent: true } : { ifRevision: revision }),
    }),
    remove,
    announceEnd,
    async end(instance, id, reason, also = []) {
      const result = await store.write([{ ...remove(instance, id), ifPresent: true }, ...also])
      if (result.written) await announceEnd(instance, [id], reason)
      return result.written
    },
    endAll,
    bound,
  }
}

function keyOf(instance: Instance, id: SessionId): Key {
  return recordKey(instance.id, 'session', id)
}

function indexOf(instance: Instance): IndexKey {
  return indexKey(instance.id, 'sessions')
}

function sortOf(session: Session): string {
  return `${String(session.createdAt).padStart(15, '0')}:${session.id}`
}

/** Only this file writes these records. */
function fromJson(value: Json): Session {
  return value as unknown as Session
}
