import type { TokenAccess } from '@svc/oauth-core'
import { type InstanceId, isHttpError } from '@svc/platform'
import { LongTimer } from './long-timer.ts'

/** What looking at a token found. */
export type Verdict = 'good' | 'refused' | 'unavailable'

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

/** A token that was good when it was looked at last. */
interface Current {
  readonly token: string
  readonly access: TokenAccess
}

/** Whom a connection speaks for. */
export class Identity {
  readonly #options: IdentityOptions
  readonly #expiry: LongTimer
  #current: Current | undefined
  #changes = 0
  #isStopped = false

  constructor(options: IdentityOptions) {
    this.#options = options
    this.#expiry = new LongTimer(options.clock)
  }

  /** Undefined before the first AUTH. */
  get access(): TokenAccess | undefined {
    return this.#current?.access
  }

  /** Takes a token, in place of one of the same principal. @see realtime.md 2.1 */
  async authenticate(token: string): Promise<Verdict> {
    const access = await this.#look(token)
    if (typeof access === 'string') return access
    if (this.#current !== undefined && !isSamePrincipal(this.#current.access, access)) {
      return 'refused'
    }
    this.#take(token, access)
    return 'good'
  }

  /** Looks at the token again. */
  async recheck(): Promise<Verdict> {
    const checked = this.#current
    if (checked === undefined) return 'good'
    const access = await this.#look(checked.token)
    // A token that came meanwhile was looked at by itself.
    if (this.#current !== checked) return 'good'
    if (typeof access === 'string') return access
    this.#take(checked.token, access)
    return 'good'
  }

  /** Something changed that the token may depend on: a look under way begins anew. */
  noteChange(): void {
    this.#changes += 1
  }

  stop(): void {
    this.#isStopped = true
    this.#expiry.clear()
  }

  async #look(token: string): Promise<TokenAccess | Exclude<Verdict, 'good'>> {
    try {
      for (let i = 0; i < MAX_LOOKS; i += 1) {
        const before = this.#changes
        const access = await this.#options.verify(token)
        if (before === this.#changes) return AUDIENCES.has(access.audience) ? access : 'refused'
      }
      return 'unavailable'
    } catch (error) {
      return isHttpError(error) && error.status === 401 ? 'refused' : 'unavailable'
    }
  }

  #take(token: string, access: TokenAccess): void {
    if (this.#isStopped) return
    this.#current = { token, access }
    this.#expiry.set(access.expiresAt, this.#options.onExpired)
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
