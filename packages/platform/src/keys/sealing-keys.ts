import type { Change, Store } from '@svc/store'
import { sealedKeyrings } from './keyring-values.ts'
import { sealedWith } from './sealed-text.ts'
import { noteChange, readNotes, type SealingKeyNote } from './sealing-key-notes.ts'
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

  constructor(code: SealingKeyError['code'], kid: string, use: Partial<SealingKeyNote> = {}) {
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

/**
 * What is needed to look, before a host starts, whether its keys open what the store has (D52).
 * @see docs/operating.md of the repository
 * @example
 * await checkSealingKeys({ store, keys, clock })
 */
export interface SealingKeyCheckOptions {
  readonly store: Store
  /** The first seals, all open. None at all: only what the store demands is checked, and nothing is written. */
  readonly keys: readonly SealingKey[]
  readonly clock: { now(): number }
  /** Sealed values beside the keys of instances, for a store that is older than the notes about its keys. */
  readonly sealed?: () => AsyncIterable<SealedValue>
}

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
    const notes = await readNotes(store)
    for (const { value } of notes) {
      if (value.state !== 'empty') prove(sealers, value.kid, openCheck(value), value)
    }
    // A store that is older than these notes is looked through, once.
    const found = notes.length === 0 ? await kidsOf(options, sealers) : new Set<string>()
    if (first === undefined) return
    const now = clock.now()
    const changes: Change[] = []
    for (const kid of new Set([first, ...found])) {
      const noted = notes.find(({ value }) => value.kid === kid)
      const check = sealers.get(kid)?.seal(CONSTANT, checkContext(kid))
      if (check === undefined) continue
      const {
        firstUsedAt = now,
        // Older versions sealed links with it until now.
        sealedLinksUntil = noted !== undefined || found.has(kid) ? now : 0,
        ...others
      } = noted?.value ?? {}
      const note = {
        ...others,
        kid,
        check,
        firstUsedAt,
        sealedLinksUntil,
        state: 'active',
      } as const
      // Written at every start, so that nobody calls the key empty who counted before.
      changes.push(noteChange(kid === first ? { ...note, startedAt: now } : note, noted))
    }
    for (const note of notes) {
      if (note.value.kid === first || note.value.sealedLinksUntil !== undefined) continue
      changes.push(noteChange({ ...note.value, sealedLinksUntil: now }, note))
    }
    if ((await store.write(changes)).written) return
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
  use?: SealingKeyNote,
): void {
  const sealer = sealers.get(kid)
  if (sealer === undefined) throw new SealingKeyError('sealing_key_missing', kid, use)
  try {
    open(sealer)
  } catch {
    throw new SealingKeyError('sealing_key_wrong', kid, use)
  }
}

function openCheck({ check, kid }: SealingKeyNote): (sealer: Sealer) => unknown {
  return (sealer) => sealer.open(check, checkContext(kid))
}

/** What the check value of a key is sealed for. */
export function checkContext(kid: string): string {
  return `sealing-key:${kid}`
}
