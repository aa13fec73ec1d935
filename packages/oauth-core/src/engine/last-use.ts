import { type Change, type Key, recordKey, type Store } from '@svc/store'
import type { ClientId } from '../clients/client.ts'
import type { Instance, Logger } from '@svc/platform'
import type { ClientRecords } from './client-records.ts'

/** How long stamps are gathered before they are written. */
const GATHER_MS = 60_000

/** Most stamps that wait; more are written at once, so that memory stays bounded. */
const MAX_WAITING = 2000

/**
 * When clients last did something, such as get tokens. Gathered in memory and written at most once a minute and
 * client (D27); a record beside the client's own, so that stamping never disturbs who changes the client.
 */
export interface LastUse {
  /** @param from client address of the request */
  note(instance: Instance, clientId: string, from?: string): void
  /** What is known, waiting stamps included. At most 100 clients. */
  read(instance: Instance, clientIds: readonly ClientId[]): Promise<ReadonlyMap<ClientId, UseStamp>>
  /** Drops the stamp of a client that is gone. */
  forget(instance: Instance, clientId: string): Promise<void>
  /** Writes what waits and stops. */
  close(): Promise<void>
}

/** A moment, and where the request came from when that was noted. */
export type UseStamp = {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** IPv6 as its /64. */
  readonly from?: string
}

export interface LastUseOptions {
  /** Which stamps: those of tokens that were issued, or those of any use. Part of their keys. */
  readonly kind: 'client-seen' | 'client-use'
  readonly store: Store
  readonly clock: { now(): number }
  readonly clients: ClientRecords
  readonly log: Logger
}

interface Stamp {
  readonly instance: Instance
  readonly clientId: string
  stamp: UseStamp
}

export function createLastUse(options: LastUseOptions): LastUse {
  const { kind, store, clock, clients, log } = options
  let waiting = new Map<string, Stamp>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  function keyOf(instance: Instance, clientId: string): Key {
    return recordKey(instance.id, kind, clientId)
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
    for (const { instance, clientId, stamp } of stamps.values()) {
      // A client that was deleted meanwhile stays deleted.
      const changes: Change[] = [
        { op: 'check', key: clients.keyOf(instance, clientId), ifPresent: true },
        { op: 'put', key: keyOf(instance, clientId), value: stamp },
      ]
      try {
        await store.write(changes)
      } catch (error) {
        log.warn('client.stamp-lost', { cause: String(error) })
      }
    }
  }

  return {
    note(instance, clientId, from) {
      const name = nameOf(instance, clientId)
      const stamp = { at: clock.now(), ...(from === undefined ? {} : { from }) }
      const known = waiting.get(name)
      if (known !== undefined) {
        known.stamp = stamp
        return
      }
      waiting.set(name, { instance, clientId, stamp })
      timer ??= setTimeout(() => void flush(), GATHER_MS).unref()
      if (waiting.size >= MAX_WAITING) void flush()
    },

    async read(instance, clientIds) {
      const keys = clientIds.map((id) => keyOf(instance, id))
      const records = await store.getMany<UseStamp>(keys)
      const known = new Map<ClientId, UseStamp>()
      for (const [position, id] of clientIds.entries()) {
        const stamp = waiting.get(nameOf(instance, id))?.stamp ?? records[position]?.value
        if (stamp !== undefined) known.set(id, stamp)
      }
      return known
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
