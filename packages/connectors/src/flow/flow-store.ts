import type { Instance, InstanceId, Logger, Sealer } from '@svc/platform'
import { type IndexKey, indexKey, type Key, secretKey, type Store } from '@svc/store'
import { createOneTimeValues, isToken } from './one-time-values.ts'
import type { PendingFlow } from './pending-flow.ts'
import { shardTag } from './shards.ts'

/** Flows that wait for a provider's answer. */
export interface States {
  /** @param state - what the provider is given: a token of 256 random bits */
  put(state: string, flow: PendingFlow): Promise<void>
  /** Uses the state up, whatever becomes of the request that brought it. */
  take(state: string): Promise<PendingFlow | undefined>
  /** Drops those of an instance. */
  forget(instance: Pick<Instance, 'id'>): Promise<void>
}

export interface StatesOptions {
  readonly store: Store
  readonly sealer: Pick<Sealer, 'derive'>
  readonly clock: { now(): number }
  readonly log: Logger
  /** Milliseconds. */
  readonly lifetimeMs: number
  /** How many an instance may have. */
  readonly max: number
}

/** A write takes 128 changes. */
const BATCH = 100

/**
 * The record stands with its instance, so that those of an instance can be counted and dropped; a place that says which
 * instance that is stands under the hash alone, since the callback host knows nothing but the state (decision 0148).
 */
export function createStates(options: StatesOptions): States {
  const { store, clock, lifetimeMs, max } = options
  const values = createOneTimeValues<PendingFlow>({ ...options, kind: 'account-state' })

  async function put(state: string, flow: PendingFlow): Promise<void> {
    const expiresAt = clock.now() + lifetimeMs
    await store.write([{ op: 'put', key: placeKey(state), value: flow.instance, expiresAt }])
    const sort = String(flow.createdAt).padStart(15, '0')
    await values.put(flow.instance, state, flow, { index: liveStates(flow.instance), sort })
    await drop(flow.instance, max)
  }

  async function take(state: string): Promise<PendingFlow | undefined> {
    if (!isToken(state)) return undefined
    const place = await store.get<InstanceId>(placeKey(state))
    return place === undefined ? undefined : values.take(place.value, state)
  }

  /** All but the newest. */
  async function drop(instance: InstanceId, kept: number): Promise<void> {
    const keys: Key[] = []
    let seen = 0
    let cursor: string | undefined
    do {
      const page = await store.list(liveStates(instance), {
        order: 'desc',
        ...(cursor !== undefined && { cursor }),
      })
      for (const { key } of page.records) {
        seen += 1
        if (seen > kept) keys.push(key)
      }
      cursor = page.cursor
    } while (cursor !== undefined)
    for (let at = 0; at < keys.length; at += BATCH) {
      await store.write(keys.slice(at, at + BATCH).map((key) => ({ op: 'delete', key })))
    }
  }

  return { put, take, forget: ({ id }) => drop(id, 0) }
}

function liveStates(instance: InstanceId): IndexKey {
  return indexKey(instance, 'account-states')
}

function placeKey(state: string): Key {
  return secretKey(shardTag(state), 'account-state-place', state)
}
