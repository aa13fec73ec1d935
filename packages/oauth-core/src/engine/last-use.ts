import type { Instance } from '@svc/platform'
import { type Change, type Key, recordKey, type Store } from '@svc/store'
import type { ClientId } from '../clients/client.ts'
import { clientKey } from '../clients/client-record.ts'
import type { OAuthLog } from '../log/log-events.ts'

/** How long stamps are gathered before they are written. */
const GATHER_MS = 60_000

/** Most stamps that wait; more are written at once, so that memory stays bounded. */
const MAX_WAITING = 2000

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
  readonly log: OAuthLog
}

interface Stamp {
  readonly instance: Instance
  readonly clientId: string
  stamp: UseStamp
}

/**
 * When clients last did something, such as get tokens. Gathered in memory and written at most once a minute and
 * client (D27); a record beside the client's own, so that stamping never disturbs who changes the client.
 */
export class LastUse {
  readonly #options: LastUseOptions
  #waiting = new Map<string, Stamp>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(options: LastUseOptions) {
    this.#options = options
  }

  /** @param from client address of the request */
  note(instance: Instance, clientId: string, from?: string): void {
    const name = nameOf(instance, clientId)
    const stamp = { at: this.#options.clock.now(), ...(from === undefined ? {} : { from }) }
    const known = this.#waiting.get(name)
    if (known !== undefined) {
      known.stamp = stamp
      return
    }
    this.#waiting.set(name, { instance, clientId, stamp })
    this.#timer ??= setTimeout(() => void this.#flush(), GATHER_MS).unref()
    if (this.#waiting.size >= MAX_WAITING) void this.#flush()
  }

  /** What is known, waiting stamps included; clients without any are absent. At most 100 clients. */
  async read(
    instance: Instance,
    clientIds: readonly ClientId[],
  ): Promise<ReadonlyMap<ClientId, UseStamp>> {
    const keys = clientIds.map((id) => this.#keyOf(instance, id))
    const records = await this.#options.store.getMany<UseStamp>(keys)
    const known = new Map<ClientId, UseStamp>()
    for (const [position, id] of clientIds.entries()) {
      const stamp = this.#waiting.get(nameOf(instance, id))?.stamp ?? records[position]?.value
      if (stamp !== undefined) known.set(id, stamp)
    }
    return known
  }

  /** Drops the stamp of a client that is gone. */
  async forget(instance: Instance, clientId: string): Promise<void> {
    this.#waiting.delete(nameOf(instance, clientId))
    const key = this.#keyOf(instance, clientId)
    await this.#options.store.write([{ op: 'delete', key }])
  }

  /** Writes what waits and stops. */
  close(): Promise<void> {
    return this.#flush()
  }

  #keyOf(instance: Instance, clientId: string): Key {
    return recordKey(instance.id, this.#options.kind, clientId)
  }

  #flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const stamps = this.#waiting
    this.#waiting = new Map()
    this.#writing = this.#writing.then(() => this.#writeAll(stamps))
    return this.#writing
  }

  async #writeAll(stamps: ReadonlyMap<string, Stamp>): Promise<void> {
    const { store, log } = this.#options
    for (const { instance, clientId, stamp } of stamps.values()) {
      // A client that was deleted meanwhile stays deleted.
      const changes: Change[] = [
        { op: 'check', key: clientKey(instance.id, clientId), ifPresent: true },
        { op: 'put', key: this.#keyOf(instance, clientId), value: stamp },
      ]
      try {
        await store.write(changes)
      } catch (error) {
        log.warn('client.stamp_lost', { cause: String(error) })
      }
    }
  }
}

function nameOf(instance: Instance, clientId: string): string {
  return `${instance.id} ${clientId}`
}
