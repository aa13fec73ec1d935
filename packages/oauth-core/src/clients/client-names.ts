import { createHash } from 'node:crypto'
import {
  type Change,
  type IndexEntry,
  indexKey,
  type Key,
  type Revision,
  secretKey,
  type Store,
} from '@svc/store'
import type { InstanceId } from '@svc/platform'

/** A name that is nobody else's until the claim runs out. */
export interface NameClaim {
  readonly name: string
  readonly revision: Revision
}

/** Names of an instance's clients: each is used once. @see oauth.md 3.4 */
export interface ClientNames {
  /**
   * Claims the wanted name, or with the next free number behind it.
   * @param current - the client's own name, when it changes
   * @returns undefined when the client's own name is the answer
   */
  claim(instanceId: InstanceId, wanted: string, current?: string): Promise<NameClaim | undefined>
  /** Gives a claim back that led to nothing. */
  release(instanceId: InstanceId, claim: NameClaim): Promise<void>
  /** The change that makes a claim last; part of the write that stores the client. */
  keep(instanceId: InstanceId, claim: NameClaim, clientId: string): Change
  /** The change that frees a client's name; part of the write that renames or removes it. */
  free(instanceId: InstanceId, name: string): Change
}

type NameRecord = {
  readonly name: string
  /** Absent while the name is only claimed. */
  readonly clientId?: string
}

/** How long a claim may wait for the write of its client. Milliseconds. */
const CLAIM_MS = 60_000
const NUMBERED = /^(.+)-([0-9]{1,15})$/s

export function createClientNames(store: Store, clock: { now(): number }): ClientNames {
  async function tryClaim(instanceId: InstanceId, name: string): Promise<NameClaim | undefined> {
    const result = await store.write([
      {
        op: 'put',
        key: nameKey(instanceId, name),
        value: { name },
        expiresAt: clock.now() + CLAIM_MS,
        indexes: nameEntries(instanceId, name),
        ifAbsent: true,
      },
    ])
    return result.written ? { name, revision: result.revision } : undefined
  }

  async function largestNumber(instanceId: InstanceId, base: string, current: string | undefined) {
    // The client's own name does not count: two records always hold another one.
    const page = await store.list<NameRecord>(numberedIndex(instanceId, base), {
      limit: 2,
      order: 'desc',
    })
    const other = page.records.find(({ value }) => value.name !== current)
    return Math.max(1, Number(NUMBERED.exec(other?.value.name ?? '')?.[2] ?? 1))
  }

  return {
    async claim(instanceId, wanted, current) {
      if (wanted === current) return undefined
      let claim = await tryClaim(instanceId, wanted)
      while (claim === undefined) {
        const number = (await largestNumber(instanceId, wanted, current)) + 1
        const name = `${wanted}-${number}`
        if (name === current) return undefined
        // Taken meanwhile: then the largest number has grown.
        claim = await tryClaim(instanceId, name)
      }
      return claim
    },

    async release(instanceId, { name, revision }) {
      const key = nameKey(instanceId, name)
      await store.write([{ op: 'delete', key, ifRevision: revision }])
    },

    keep: (instanceId, { name, revision }, clientId) => ({
      op: 'put',
      key: nameKey(instanceId, name),
      value: { name, clientId },
      indexes: nameEntries(instanceId, name),
      ifRevision: revision,
    }),

    free: (instanceId, name) => ({ op: 'delete', key: nameKey(instanceId, name) }),
  }
}

function nameKey(instanceId: InstanceId, name: string): Key {
  return secretKey(instanceId, 'client-name', name)
}

/** Names made of the base and a number, by number. */
function numberedIndex(instanceId: InstanceId, base: string) {
  const digest = createHash('sha256').update(base).digest('base64url')
  return indexKey(instanceId, `client-names:${digest}`)
}

function nameEntries(instanceId: InstanceId, name: string): IndexEntry[] {
  const [, base, number] = NUMBERED.exec(name) ?? []
  if (base === undefined || number === undefined) return []
  return [{ index: numberedIndex(instanceId, base), sort: number.padStart(15, '0') }]
}
