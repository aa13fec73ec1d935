import type { TokenAccess } from '@svc/oauth-core'
import { type InstanceId, isHttpError } from '@svc/platform'
import { createLongTimer } from './long-timer.ts'

/** What looking at a token found. */
export type Verdict = 'good' | 'refused' | 'unavailable'

/** Whom a connection speaks for. */
export interface Identity {
  /** Undefined before the first AUTH. */
  readonly access: TokenAccess | undefined
  /** Takes a token, in place of one of the same principal. @see realtime.md 2.1 */
  authenticate(token: string): Promise<Verdict>
  /** Looks at the token again. */
  recheck(): Promise<Verdict>
  /** Something changed that the token may depend on: a look under way begins anew. */
  noteChange(): void
  stop(): void
}

export interface IdentityOptions {
  /** @throws HttpError 401 for a token that is refused; anything else means that nobody can tell now */
  readonly verify: (token: string) => Promise<TokenAccess>
  readonly clock: { now(): number }
  readonly onExpired: () => void
}

/** Kinds of tokens that may listen. Those of shares may not: their holders could watch the owner (realtime.md 3). */
const AUDIENCES: ReadonlySet<string> = new Set(['access', 'app', 'cli', 'konn'])

/** Changes that may come during one look at a token before it counts as failed. */
const MAX_LOOKS = 10

export function createIdentity(options: IdentityOptions): Identity {
  const { verify, clock, onExpired } = options
  const expiry = createLongTimer(clock)
  let current: { readonly token: string; readonly access: TokenAccess } | undefined
  let changes = 0
  let isStopped = false

  async function look(token: string): Promise<TokenAccess | Exclude<Verdict, 'good'>> {
    try {
      for (let i = 0; i < MAX_LOOKS; i += 1) {
        const before = changes
        const access = await verify(token)
        if (before === changes) return AUDIENCES.has(access.audience) ? access : 'refused'
      }
      return 'unavailable'
    } catch (error) {
      return isHttpError(error) && error.status === 401 ? 'refused' : 'unavailable'
    }
  }

  function take(token: string, access: TokenAccess): void {
    if (isStopped) return
    current = { token, access }
    expiry.set(access.expiresAt, onExpired)
  }

  return {
    get access() {
      return current?.access
    },
    async authenticate(token) {
      const access = await look(token)
      if (typeof access === 'string') return access
      if (current !== undefined && !isSamePrincipal(current.access, access)) return 'refused'
      take(token, access)
      return 'good'
    },
    async recheck() {
      const checked = current
      if (checked === undefined) return 'good'
      const access = await look(checked.token)
      // A token that came meanwhile was looked at by itself.
      if (current !== checked) return 'good'
      if (typeof access === 'string') return access
      take(checked.token, access)
      return 'good'
    },
    noteChange() {
      changes += 1
    },
    stop() {
      isStopped = true
      expiry.clear()
    },
  }
}

function isSamePrincipal(one: TokenAccess, other: TokenAccess): boolean {
  return one.audience === other.audience && one.subject === other.subject
}

/** The other end of a connection, as its handshake knows it. */
export interface Peer {
  readonly instanceId: InstanceId
  /** Whom a token speaks for, with the cookies of the handshake. @throws OAuthError 401 */
  verify(token: string): Promise<TokenAccess>
  /** It is somebody's now. */
  authenticated(): void
  /** Its AUTH failed. */
  refused(): void
  /** The connection is over. */
  gone(): void
}
