import { type Change, type Key, recordKey, type Store } from '@svc/store'
import type { ClientId } from '../clients/client.ts'
import type { Instance } from '../instances/instance.ts'
import type { Logger } from '../ports.ts'
import type { ClientRecords } from './client-records.ts'

/** How long stamps are gathered before they are written. */
const GATHER_MS = 60_000

/** Most stamps that wait; more are written at once, so that memory stays bounded. */
const MAX_WAITING = 2000

/**
 * When clients last got tokens. Gathered in memory and written at most once a minute and client (D27); a record
 * beside the client's own, so that stamping never disturbs who changes the client.
 */
export interface LastUse {
  note(instance: Instance, clientId: string): void
  /** What is known, waiting stamps included. At most 100 clients. */
  read(instance: Instance, clientIds: readonly ClientId[]): Promise<ReadonlyMap<ClientId, number>>
  /** Drops the stamp of a client that is gone. */
  forget(instance: Instance, clientId: string): Promise<void>
  /** Writes what waits and stops. */
  close(): Promise<void>
}

export interface LastUseOptions {
  readonly store: Store
  readonly clock: { now(): number }
  readonly clients: ClientRecords
  readonly log: Logger
}

interface Stamp {
  readonly instance: Instance
  readonly clientId: string
  at: number
}

export function createLastUse({ store, clock, clients, log }: LastUseOptions): LastUse {
  let waiting = new Map<string, Stamp>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  function keyOf(instance: Instance, clientId: string): Key {
    return recordKey(instance.id, 'client-use', clientId)
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const stamps = waiting
    waiting = new Map()
    writing = writing.then(() => writeAll(stamps))
    return writing
  }

  async function writeAll(stamps: ReadonlyMap<string, Stamp>): Promise<void> {
    for (const { instance, clientId, at } of stamps.values()) {
      // A client that was deleted meanwhile stays deleted.
      const changes: Change[] = [
        { op: 'check', key: clients.keyOf(instance, clientId), ifPresent: true },
        { op: 'put', key: keyOf(instance, clientId), value: { at } },
      ]
      try {
        await store.write(changes)
      } catch (error) {
        log.warn('client.stamp-lost', { cause: String(error) })
      }
    }
  }

  return {
    note(instance, clientId) {
      const name = nameOf(instance, clientId)
      const stamp = waiting.get(name)
      if (stamp !== undefined) {
        stamp.at = clock.now()
        return
      }
      waiting.set(name, { instance, clientId, at: clock.now() })
      timer ??= setTimeout(() => void flush(), GATHER_MS).unref()
      if (waiting.size >= MAX_WAITING) void flush()
    },

    async read(instance, clientIds) {
      const keys = clientIds.map((id) => keyOf(instance, id))
      const records = await store.getMany<{ at: number }>(keys)
      const known = clientIds.map((id, position): [ClientId, number] => {
        const written = records[position]?.value.at ?? 0
        return [id, waiting.get(nameOf(instance, id))?.at ?? written]
      })
      return new Map(known.filter(([, at]) => at > 0))
    },

    async forget(instance, clientId) {
      waiting.delete(nameOf(instance, clientId))
      await store.write([{ op: 'delete', key: keyOf(instance, clientId) }])
    },

    close: flush,
  }
}

function nameOf(instance: Instance, clientId: string): string {
  return `${instance.id} ${clientId}`
}
