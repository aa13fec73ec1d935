import { MINUTE_MS } from '@svc/platform'
import type { Lifetimes } from '../lifetimes.ts'

/** Lower-case hexadecimal, 128 random bits. */
export type SessionId = string & { readonly __sessionId: 'SessionId' }

/** How long it lives. @see login.md 2.2 */
export type SessionKind = 'short' | 'normal' | 'long'

/** How a session came to be. */
export type LoginMethod =
  | 'password'
  | '2FA'
  | 'passkey'
  | 'magic_link'
  | 'session_code'
  | 'registration'
  | 'passphrase_change'

/** A session of the owner. Times are milliseconds since the epoch. @see login.md 2.1, 2.2 */
export interface Session {
  readonly id: SessionId
  readonly kind: SessionKind
  readonly method: LoginMethod
  readonly createdAt: number
  /** Written down at most once a day. */
  readonly lastSeen: number
  /** The browser it was opened in; absent in records from before browsers had ids, and on hosts of apps. */
  readonly device?: DeviceId
  /** Opened by a mailed link in another browser than the one that asked: it cannot confirm or add a credential. */
  readonly isElsewhere?: true
}

/** Names a known browser in the owner's list; opens nothing. */
export type DeviceId = string & { readonly __deviceId: 'DeviceId' }

/** SPEC: decision D96 - no setting changes it. */
const ELSEWHERE_MS = 5 * MINUTE_MS
const SESSION_ID = /^[0-9a-f]{32}$/

/** The identifier, when the text has its form. */
export function parseSessionId(text: string): SessionId | undefined {
  return SESSION_ID.test(text) ? (text as SessionId) : undefined
}

/** When a session dies if it is not used again; milliseconds since the epoch. */
export function sessionEnd(session: Session, lifetimes: Lifetimes): number {
  const { createdAt, lastSeen } = session
  if (session.isElsewhere === true) return createdAt + ELSEWHERE_MS
  if (session.kind === 'short') return createdAt + lifetimes.shortSession
  if (session.kind === 'normal') {
    return Math.min(createdAt + lifetimes.normalSession, lastSeen + lifetimes.normalSessionIdle)
  }
  return Math.min(createdAt + lifetimes.longSession, lastSeen + lifetimes.longSessionIdle)
}

/** Whether this use is worth a write. */
export function needsTouch(session: Session, now: number, lifetimes: Lifetimes): boolean {
  return session.kind !== 'short' && now - session.lastSeen >= lifetimes.sessionTouch
}

/** How long the browser keeps the cookie; milliseconds; undefined: until it closes. */
export function cookieMaxAgeMs(kind: SessionKind, lifetimes: Lifetimes): number | undefined {
  if (kind === 'short') return lifetimes.shortSession
  return kind === 'long' ? lifetimes.longSession : undefined
}

/** Whether a login that asks for `asked` replaces a live session: only a short one is replaced. @see login.md 5.1 */
export function isUpgrade(live: SessionKind, asked: SessionKind): boolean {
  return live === 'short' && asked !== 'short'
}

/** Whether a live session stays when somebody logs in anew; one opened elsewhere never does. */
export function isKept({ kind, isElsewhere }: Session, asked: SessionKind): boolean {
  return isElsewhere !== true && !isUpgrade(kind, asked)
}
