import { setTimeout as sleep } from 'node:timers/promises'
import type { Revocation } from '@svc/platform'
import { maySubscribe, type TypeRules } from '../events/doctype.ts'
import type { Subscriber } from '../events/hub.ts'
import type { Identity, Verdict } from './identity.ts'
import {
  CLOSE,
  type CloseReason,
  type CommandSource,
  type SocketErrorCode,
} from './socket-errors.ts'

export interface AccessMonitorOptions {
  readonly identity: Identity
  readonly subscriber: Subscriber
  readonly rules: TypeRules
  readonly send: (name: SocketErrorCode, source: CommandSource | null, about?: string) => void
  readonly close: (reason: CloseReason) => void
}

const RETRIES = 8
const RETRY_MS = 250

/** Keeps the subscriptions of a connection within what its token still allows. @see realtime.md 7.4 */
export class AccessMonitor {
  readonly #options: AccessMonitorOptions

  constructor(options: AccessMonitorOptions) {
    this.#options = options
  }

  /** Takes away the subscriptions that are no longer allowed, with one error each. */
  reconsider(): void {
    const { identity, rules } = this.#options
    const { access } = identity
    this.#keep((type, id) => access !== undefined && maySubscribe(rules, access, type, id))
  }

  onRevoked({ kind, id }: Revocation): void {
    const { identity, close } = this.#options
    identity.noteChange()
    const { access } = identity
    if (access === undefined) return
    if (kind === 'session' && access.sessionId === id) {
      close(CLOSE.sessionClosed)
    } else if (kind === 'grant' && access.grantId === id) {
      close(CLOSE.clientRevoked)
    } else if (kind === 'client' && access.client?.id === id) {
      void this.#look('gap', CLOSE.clientRevoked)
    } else if (kind === 'app' && (access.app ?? access.konnector)?.slug === id) {
      void this.#lookAtApp()
    } else if (kind === 'instance') {
      void this.#look('gap', CLOSE.authenticationFailed)
    }
  }

  /**
   * Looks at the token again. `beat`: as a matter of routine, so a store that does not answer changes nothing;
   * `gap`: news may have been missed, so nothing goes on unseen. Never rejects.
   */
  recheck(why: 'beat' | 'gap'): Promise<void> {
    const isApp = this.#options.identity.access?.kind === 'app'
    return this.#look(why, isApp ? CLOSE.sessionClosed : CLOSE.clientRevoked)
  }

  /** @param stillAllowed - which subscriptions stay */
  #keep(stillAllowed: (type: string, id: string | undefined) => boolean): void {
    const { subscriber, send } = this.#options
    for (const topic of subscriber.list()) {
      if (stillAllowed(topic.type, topic.id)) continue
      if (topic.id === undefined) this.#loseWhole(topic.type)
      else subscriber.unsubscribe(topic)
      send('forbidden', { method: 'SUBSCRIBE', payload: { ...topic } }, topic.type)
    }
  }

  /** Taking away a whole type takes its documents along: those that were subscribed are put back, to be checked. */
  #loseWhole(type: string): void {
    const { subscriber } = this.#options
    const documents = subscriber
      .list()
      .filter((topic) => topic.type === type && topic.id !== undefined)
    subscriber.unsubscribe({ type })
    for (const topic of documents) subscriber.subscribe(topic)
  }

  /** A store that just came back may take a moment: whoever waits for it is not sent away at once. */
  async #insist(): Promise<Verdict> {
    const { identity } = this.#options
    for (let i = 0; i < RETRIES; i += 1) {
      const verdict = await identity.recheck()
      if (verdict !== 'unavailable') return verdict
      await sleep(RETRY_MS, undefined, { ref: false })
    }
    return identity.recheck()
  }

  async #look(why: 'beat' | 'gap', lost: CloseReason): Promise<void> {
    const { identity, close } = this.#options
    const verdict = await (why === 'gap' ? this.#insist() : identity.recheck())
    if (verdict === 'good') this.reconsider()
    else if (verdict === 'refused') close(lost)
    else if (why === 'gap') close(CLOSE.internalError)
  }

  async #lookAtApp(): Promise<void> {
    const verdict = await this.#insist()
    if (verdict === 'good') {
      this.reconsider()
      return
    }
    // SPEC: realtime.md 7.4 - one error for each subscription that is lost; then nothing is left to stay for.
    this.#keep(() => false)
    this.#options.close(verdict === 'refused' ? CLOSE.authenticationFailed : CLOSE.internalError)
  }
}
