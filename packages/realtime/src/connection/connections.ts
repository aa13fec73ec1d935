import type { OAuth } from '@svc/oauth-core'
import type { InstanceId } from '@svc/platform'
import type { Connection } from './connection.ts'
import { CLOSE } from './socket-errors.ts'

/** The open connections of this process. Tells them what ended. */
export interface Connections {
  readonly size: number
  add(instanceId: InstanceId, connection: Connection): void
  delete(instanceId: InstanceId, connection: Connection): void
  /**
   * Closes all, each at a moment of its own within `spreadMs`; those that do not answer within `lastMs` after that
   * are cut. Milliseconds.
   */
  close(spreadMs: number, lastMs: number): Promise<void>
}

/** Tokens looked at again at a time, after news may have been missed. */
const RECHECKS = 32

export function createConnections(oauth: Pick<OAuth, 'onRevoked'>): Connections {
  const byInstance = new Map<InstanceId, Set<Connection>>()
  let size = 0
  let onEmpty: (() => void) | undefined

  const stopListening = oauth.onRevoked({
    onRevoked(revocation) {
      for (const connection of byInstance.get(revocation.instanceId) ?? []) {
        connection.onRevoked(revocation)
      }
    },
    onGap: () => void recheckAll(),
  })

  function all(): Connection[] {
    return [...byInstance.values()].flatMap((connections) => [...connections])
  }

  async function recheckAll(): Promise<void> {
    const left = all()
    async function worker(): Promise<void> {
      for (let each = left.pop(); each !== undefined; each = left.pop()) await each.recheck()
    }
    await Promise.all(Array.from({ length: RECHECKS }, worker))
  }

  return {
    get size() {
      return size
    },
    add(instanceId, connection) {
      byInstance.set(instanceId, (byInstance.get(instanceId) ?? new Set()).add(connection))
      size += 1
    },
    delete(instanceId, connection) {
      const connections = byInstance.get(instanceId)
      if (connections?.delete(connection) !== true) return
      if (connections.size === 0) byInstance.delete(instanceId)
      size -= 1
      if (size === 0) onEmpty?.()
    },
    async close(spreadMs, lastMs) {
      if (size > 0) {
        const timers = all().map((connection) =>
          setTimeout(() => connection.close(CLOSE.serverShutdown), Math.random() * spreadMs),
        )
        const cut = setTimeout(() => {
          for (const connection of all()) connection.terminate()
        }, spreadMs + lastMs)
        await new Promise<void>((resolve) => {
          onEmpty = resolve
        })
        for (const timer of [...timers, cut]) clearTimeout(timer)
      }
      // Until the end: what is still open can still be revoked.
      stopListening()
    },
  }
}
