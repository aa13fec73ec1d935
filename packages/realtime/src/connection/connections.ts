import type { OAuth } from '@svc/oauth-core'
import type { InstanceId } from '@svc/platform'
import type { Connection } from './connection.ts'
import { CLOSE } from './socket-errors.ts'

/** Tokens looked at again at a time, after news may have been missed. */
const RECHECKS = 32

/** The open connections of this process. Tells them what ended. */
export class Connections {
  readonly #byInstance = new Map<InstanceId, Set<Connection>>()
  readonly #stopListening: () => void
  #size = 0
  #onEmpty: (() => void) | undefined

  constructor(oauth: Pick<OAuth, 'onRevoked'>) {
    this.#stopListening = oauth.onRevoked({
      onRevoked: (revocation) => {
        for (const connection of this.#byInstance.get(revocation.instanceId) ?? []) {
          connection.onRevoked(revocation)
        }
      },
      onGap: () => void this.#recheckAll(),
    })
  }

  get size(): number {
    return this.#size
  }

  add(instanceId: InstanceId, connection: Connection): void {
    const connections = this.#byInstance.get(instanceId) ?? new Set()
    this.#byInstance.set(instanceId, connections.add(connection))
    this.#size += 1
  }

  delete(instanceId: InstanceId, connection: Connection): void {
    const connections = this.#byInstance.get(instanceId)
    if (connections?.delete(connection) !== true) return
    if (connections.size === 0) this.#byInstance.delete(instanceId)
    this.#size -= 1
    if (this.#size === 0) this.#onEmpty?.()
  }

  /**
   * Closes all, each at a moment of its own within `spreadMs`; those that do not answer within `lastMs` after that
   * are cut. Milliseconds.
   */
  async close(spreadMs: number, lastMs: number): Promise<void> {
    if (this.#size > 0) {
      const timers = this.#all().map((connection) =>
        setTimeout(() => connection.close(CLOSE.serverShutdown), Math.random() * spreadMs),
      )
      const cut = setTimeout(() => {
        for (const connection of this.#all()) connection.terminate()
      }, spreadMs + lastMs)
      await new Promise<void>((resolve) => {
        this.#onEmpty = resolve
      })
      for (const timer of [...timers, cut]) clearTimeout(timer)
    }
    // Until the end: what is still open can still be revoked.
    this.#stopListening()
  }

  #all(): Connection[] {
    return [...this.#byInstance.values()].flatMap((connections) => [...connections])
  }

  async #recheckAll(): Promise<void> {
    const left = this.#all()
    async function worker(): Promise<void> {
      for (let each = left.pop(); each !== undefined; each = left.pop()) await each.recheck()
    }
    await Promise.all(Array.from({ length: RECHECKS }, worker))
  }
}
