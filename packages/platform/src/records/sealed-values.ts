import type { Json } from '@svc/store'
import type { Sealer } from '../keys/sealer.ts'
import type { FoundRecord, RecordKind, SealContext } from './record-kind.ts'

/** A sealed value of a record. */
export interface SealedMember {
  /** Names and positions that lead to it. */
  readonly path: readonly string[]
  readonly sealed: string
  readonly context: SealContext
  /** It proves the key that sealed it, and is never sealed with another. */
  readonly provesKey: boolean
}

/** The sealed values of a record, in the order of its kind's places. */
export function sealedMembers(kind: RecordKind, record: FoundRecord): readonly SealedMember[] {
  return (kind.sealed ?? []).flatMap(({ path, context: contextOf, provesKey = false }) =>
    pathsTo(record.value, path).flatMap((at) => {
      const sealed = valueAt(record.value, at)
      const context = typeof sealed === 'string' ? contextOf(record, at) : undefined
      if (typeof sealed !== 'string' || context === undefined) return []
      return [{ path: at, sealed, context, provesKey }]
    }),
  )
}

/** @throws SealedValueError when the keyring does not open it */
export function openMember(sealer: Sealer, { sealed, context }: SealedMember): Buffer {
  if ('context' in context) return sealer.open(sealed, context.context)
  const derived = sealer.derive(context.salt, context.info)
  if ('aad' in context) return derived.open(sealed, context.aad)
  derived.verify(sealed, context.signed)
  return Buffer.from(context.signed)
}

/** Under the first key of the keyring. */
export function sealMember(sealer: Sealer, context: SealContext, plain: Uint8Array): string {
  if ('context' in context) return sealer.seal(plain, context.context)
  const derived = sealer.derive(context.salt, context.info)
  return 'aad' in context ? derived.seal(plain, context.aad) : derived.sign(context.signed)
}

/** The value with other texts at some places; what lies beside them is shared with the old one. */
export function withTexts(
  value: Json,
  texts: readonly { readonly path: readonly string[]; readonly text: Json }[],
): Json {
  return texts.reduce((changed, { path, text }) => replaced(changed, path, text), value)
}

function replaced(value: Json, [name, ...rest]: readonly string[], text: Json): Json {
  if (name === undefined) return text
  if (Array.isArray(value)) {
    return value.map((entry: Json, at) =>
      String(at) === name ? replaced(entry, rest, text) : entry,
    )
  }
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).flatMap(([member, below]) =>
    below === undefined
      ? []
      : [[member, member === name ? replaced(below, rest, text) : below] as const],
  )
  return Object.fromEntries(entries)
}

/** Nobody seals anything deeper; what others wrote may nest as deep as a body is long. */
const DEEPEST = 40

function pathsTo(
  value: Json | undefined,
  [step, ...rest]: readonly string[],
  depth = 0,
): string[][] {
  if (step === undefined) return [[]]
  if (value === null || typeof value !== 'object' || depth > DEEPEST) return []
  const below = Object.entries(value) as [string, Json | undefined][] // of arrays: their positions
  const deeper = (
    names: readonly (readonly [string, Json | undefined])[],
    path: readonly string[],
  ) =>
    names.flatMap(([name, member]) =>
      pathsTo(member, path, depth + 1).map((found) => [name, ...found]),
    )
  if (step === '**') return [...pathsTo(value, rest, depth), ...deeper(below, [step, ...rest])]
  return deeper(
    below.filter(([name]) => fits(name, step)),
    rest,
  )
}

function fits(name: string, step: string): boolean {
  return step.startsWith('*') ? name.endsWith(step.slice(1)) : name === step
}

function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (at, name) =>
      at === null || typeof at !== 'object' ? undefined : (at as { [name: string]: Json })[name],
    value,
  )
}
