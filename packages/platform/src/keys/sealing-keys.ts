import { type Change, indexKey, type Key, recordKey, type Store } from '@svc/store'
import { sealedKeyrings } from './keyring-values.ts'
import { sealedWith } from './sealed-text.ts'
import { createSealer, type SealedValue, type Sealer, type SealingKey } from './sealer.ts'

/** Why a store cannot be used with a keyring: the key `kid` is not in it, or another one has its name. */
export class SealingKeyError extends Error {
  override readonly name: string = 'SealingKeyError'
  readonly code: 'sealing_key_missing' | 'sealing_key_wrong'
  readonly kid: string
  /** Milliseconds since the epoch; undefined in a store that is older than such notes. */
  readonly firstUsedAt: number | undefined
  /** How many values it had sealed when they were last counted. */
  readonly values: number | undefined

  constructor(code: SealingKeyError['code'], kid: string, use: Partial<SealingKeyRecord> = {}) {
    super(
      code === 'sealing_key_missing'
        ? `the store holds values sealed with the key "${kid}", which is not among options.keys`
        : `"${kid}" in options.keys is not the key that the store was sealed with`,
    )
    this.code = code
    this.kid = kid
    this.firstUsedAt = use.firstUsedAt
    this.values = use.values
  }
}

export interface SealingKeyCheckOptions {
  readonly store: Store
  /** The first seals, all open. None at all: only what the store demands is checked, and nothing is written. */
  readonly keys: readonly SealingKey[]
  readonly clock: { now(): number }
  /** Sealed values beside the keys of instances, for a store that is older than the notes about its keys. */
  readonly sealed?: () => AsyncIterable<SealedValue>
}

/** What is noted of a key since its first use. */
interface SealingKeyRecord {
  readonly [name: string]: string | number | undefined
  readonly kid: string
  /** A constant, sealed with the key. */
  readonly check: string
  readonly firstUsedAt: number
  /** `empty`: nothing is sealed with it any more, so nobody needs it. */
  readonly state: 'active' | 'empty'
  readonly values?: number
}

const INDEX = indexKey('host', 'sealing-keys')
const CONSTANT = 'svc sealing key'

/**
 * Proves that a keyring opens what the store holds, and notes its first key before it seals anything. To be called
 * before anything is written; `oauth.start` calls it, too.
 * @throws SealingKeyError for a key that is missing, or is another one of that name; nothing was written then
 * @see operation.md 3.1, 3.2
 */
export async function checkSealingKeys(options: SealingKeyCheckOptions): Promise<void> {
  const { store, keys, clock } = options
  const sealers = new Map(keys.map((key) => [key.kid, createSealer([key])]))
  if (keys.length > 0) createSealer(keys) // Refuses what is malformed or doubled.
  const first = keys[0]?.kid

  // Another process may note its keys at the same time: what it noted is looked at like everything else.
  for (;;) {
    const page = await store.list<SealingKeyRecord>(INDEX)
    for (const { value } of page.records) {
      if (value.state !== 'empty') prove(sealers, value.kid, openCheck(value), value)
    }
    // A store that is older than these notes is looked through, once.
    const found = page.records.length === 0 ? await kidsOf(options, sealers) : new Set<string>()
    if (first === undefined) return
    const now = clock.now()
    const changes: Change[] = []
    for (const kid of new Set([first, ...found])) {
      const noted = page.records.find(({ value }) => value.kid === kid)
      if (noted?.value.state === 'active') continue
      const check = sealers.get(kid)?.seal(CONSTANT, checkContext(kid))
      if (check === undefined) continue
      const value: SealingKeyRecord = { kid, check, firstUsedAt: now, state: 'active' }
      changes.push({
        op: 'put',
        key: keyOf(kid),
        value,
        indexes: [{ index: INDEX, sort: kid }],
        ...(noted === undefined ? { ifAbsent: true } : { ifRevision: noted.revision }),
      })
    }
    if (changes.length === 0 || (await store.write(changes)).written) return
  }
}

/** Every key that sealed something, after it was proven. */
async function kidsOf(
  { store, clock, sealed }: SealingKeyCheckOptions,
  sealers: ReadonlyMap<string, Sealer>,
): Promise<ReadonlySet<string>> {
  const kids = new Set<string>()
  async function look(values: AsyncIterable<SealedValue>): Promise<void> {
    for await (const value of values) {
      const kid = sealedWith(value.sealed)
      if (kid === undefined) continue
      prove(sealers, kid, value.open)
      kids.add(kid)
    }
  }
  await look(sealedKeyrings(store, clock))
  if (sealed !== undefined) await look(sealed())
  return kids
}

function prove(
  sealers: ReadonlyMap<string, Sealer>,
  kid: string,
  open: (sealer: Sealer) => unknown,
  use?: SealingKeyRecord,
): void {
  const sealer = sealers.get(kid)
  if (sealer === undefined) throw new SealingKeyError('sealing_key_missing', kid, use)
  try {
    open(sealer)
  } catch {
    throw new SealingKeyError('sealing_key_wrong', kid, use)
  }
}

function openCheck({ check, kid }: SealingKeyRecord): (sealer: Sealer) => unknown {
  return (sealer) => sealer.open(check, checkContext(kid))
}

/** What the check value of a key is sealed for. */
export function checkContext(kid: string): string {
  return `sealing-key:${kid}`
}

function keyOf(kid: string): Key {
  return recordKey('host', 'sealing-key', kid)
}
