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
  /** Absent: nobody had it when it was looked up, and nothing of the claim is stored. */
  readonly revision?: Revision
}

type NameRecord = {
  readonly name: string
  /** Absent while the name is only claimed. */
  readonly clientId?: string
}

/** How long a claim may wait for the write of its client. Milliseconds. */
const CLAIM_MS = 60_000
const NUMBERED = /^(.+)-([0-9]{1,15})$/s

interface NameServices {
  readonly store: Store
  readonly clock: { now(): number }
}

/**
 * Claims the wanted name, or with the next free number behind it: each name of an instance is used once.
 * @param current - the client's own name, when it changes
 * @returns undefined when the client's own name is the answer
 * @see oauth.md 3.4
 */
export async function claimName(
  services: NameServices,
  instanceId: InstanceId,
  wanted: string,
  current?: string,
): Promise<NameClaim | undefined> {
  if (wanted === current) return undefined
  let claim = await tryClaim(services, instanceId, wanted)
  while (claim === undefined) {
    const number = (await largestNumber(services, instanceId, wanted, current)) + 1
    const name = `${wanted}-${number}`
    if (name === current) return undefined
    // Taken meanwhile: then the largest number has grown.
    claim = await tryClaim(services, instanceId, name)
  }
  return claim
}

/**
 * The wanted name where nobody has it now. Nothing is written: should somebody else take it meanwhile, the write that
 * stores the client does not happen.
 */
export async function freeClaim(
  { store }: Pick<NameServices, 'store'>,
  instanceId: InstanceId,
  wanted: string,
): Promise<NameClaim | undefined> {
  const taken = await store.get(nameKey(instanceId, wanted))
  return taken === undefined ? { name: wanted } : undefined
}

/** Gives a claim back that led to nothing. */
export async function releaseName(
  { store }: Pick<NameServices, 'store'>,
  instanceId: InstanceId,
  { name, revision }: NameClaim,
): Promise<void> {
  if (revision === undefined) return
  await store.write([{ op: 'delete', key: nameKey(instanceId, name), ifRevision: revision }])
}

/** The change that makes a claim last; part of the write that stores the client. */
export function keepName(
  instanceId: InstanceId,
  { name, revision }: NameClaim,
  clientId: string,
): Change {
  return {
    op: 'put',
    key: nameKey(instanceId, name),
    value: { name, clientId },
    indexes: nameEntries(instanceId, name),
    ...(revision === undefined ? { ifAbsent: true } : { ifRevision: revision }),
  }
}

/** The change that frees a client's name; part of the write that renames or removes it. */
export function freeName(instanceId: InstanceId, name: string): Change {
  return { op: 'delete', key: nameKey(instanceId, name) }
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

async function tryClaim(
  { store, clock }: NameServices,
  instanceId: InstanceId,
  name: string,
): Promise<NameClaim | undefined> {
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

async function largestNumber(
  { store }: NameServices,
  instanceId: InstanceId,
  base: string,
  current: string | undefined,
): Promise<number> {
  // The client's own name does not count: two records always hold another one.
  const page = await store.list<NameRecord>(numberedIndex(instanceId, base), {
    limit: 2,
    order: 'desc',
  })
  const other = page.records.find(({ value }) => value.name !== current)
  return Math.max(1, Number(NUMBERED.exec(other?.value.name ?? '')?.[2] ?? 1))
}
