import type { AuthUiServices } from '../services.ts'
import { createHash } from 'node:crypto'
import { type Instance, randomId } from '@svc/platform'
import { type Change, indexKey, type Key, recordKey } from '@svc/store'
import type { Place } from '../ports.ts'
import type { LoginMethod, SessionId } from './session.ts'

/** One login. Times are milliseconds since the epoch. @see login.md 2.1 */
export interface LoginEntry extends Place {
  readonly sessionId: SessionId
  readonly method: LoginMethod
  readonly ip: string
  readonly userAgent: string
  readonly os: string
  readonly browser: string
  /** The login served an authorization. */
  readonly clientRegistration: boolean
  readonly createdAt: number
}

const MAX_KEYS = 100

/** The changes that note a login, for the write that opens its session: the note cannot fail alone. */
export function loginChanges(
  services: Pick<AuthUiServices, 'clock' | 'lifetimes'>,
  instance: Instance,
  entry: LoginEntry,
): readonly Change[] {
  const expiresAt = services.clock.now() + services.lifetimes.loginHistory
  return [
    {
      op: 'put',
      key: entryKey(instance, entry.sessionId),
      value: { ...entry },
      expiresAt,
      indexes: [
        {
          index: indexKey(instance.id, 'session-logins'),
          sort: `${inOrder(entry.createdAt)}:${randomId()}`,
        },
      ],
    },
    {
      op: 'put',
      key: placeKey(instance, entry),
      value: { seenAt: entry.createdAt },
      expiresAt,
      indexes: [{ index: indexKey(instance.id, 'login-places'), sort: inOrder(entry.createdAt) }],
    },
  ]
}

/** Whether there are logins, none of them from such a place and browser. */
export async function isNewPlace(
  services: AuthUiServices,
  instance: Instance,
  entry: LoginEntry,
): Promise<boolean> {
  if ((await services.store.get(placeKey(instance, entry))) !== undefined) return false
  const page = await services.store.list(indexKey(instance.id, 'session-logins'), { limit: 1 })
  return page.records.length > 0 || page.cursor !== undefined
}

/** Entries of these sessions, where known. */
export async function loginsOfSessions(
  services: AuthUiServices,
  instance: Instance,
  ids: readonly SessionId[],
): Promise<ReadonlyMap<SessionId, LoginEntry>> {
  const found = new Map<SessionId, LoginEntry>()
  for (let at = 0; at < ids.length; at += MAX_KEYS) {
    const keys = ids.slice(at, at + MAX_KEYS).map((id) => entryKey(instance, id))
    for (const record of await services.store.getMany(keys)) {
      if (record === undefined) continue
      // Only this file writes these records.
      const entry = record.value as unknown as LoginEntry
      found.set(entry.sessionId, entry)
    }
  }
  return found
}

/** A page of the history. */
export interface LoginPage {
  readonly logins: readonly { readonly id: string; readonly entry: LoginEntry }[]
  /** Absent on the last page. */
  readonly cursor?: string
}

/** Every log-in that is kept, newest first. @throws TypeError for a malformed cursor */
export async function listLogins(
  { store }: Pick<AuthUiServices, 'store'>,
  instance: Instance,
  page: { readonly limit: number; readonly cursor?: string },
): Promise<LoginPage> {
  const index = indexKey(instance.id, 'session-logins')
  const { records, cursor } = await store.list(index, { ...page, order: 'desc' })
  // Only this file writes these records.
  const logins = records.map(({ value }) => {
    const entry = value as unknown as LoginEntry
    return { id: entry.sessionId, entry }
  })
  return cursor === undefined ? { logins } : { logins, cursor }
}

/** An instant as text that sorts as it does. */
export function inOrder(instant: number): string {
  return String(instant).padStart(15, '0')
}

function entryKey(instance: Instance, id: SessionId): Key {
  return recordKey(instance.id, 'session-login', id)
}

/** Same system, browser and country, or address where the country is unknown. */
function placeKey(instance: Instance, entry: LoginEntry): Key {
  const where = entry.country ?? entry.ip
  const text = JSON.stringify([entry.os, entry.browser, where])
  return recordKey(
    instance.id,
    'login-place',
    createHash('sha256').update(text).digest('base64url'),
  )
}
