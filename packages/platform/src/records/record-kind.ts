import type { Json, StoredRecord } from '@svc/store'
import type { JsonSchema } from './value-schemas.ts'

/** Where all records of a kind are found, by one who knows nothing but the tag of their keys. */
export type RecordPlaces =
  /** Each has one of these ids. */
  | { readonly by: 'ids'; readonly ids: readonly string[] }
  /** Each is in this index of its tag. */
  | { readonly by: 'index'; readonly index: string }
  /** Each is in one of these indexes of its tag. */
  | { readonly by: 'indexes'; readonly indexes: readonly string[] }
  /** Each is in an index that is named after a record of another kind, such as the client of a grant. */
  | {
      readonly by: 'index-of'
      readonly parent: string
      readonly index: (parent: FoundRecord) => string
    }
  /** Each has an id that follows from a record of another kind, such as the body of a notification. */
  | {
      readonly by: 'ids-of'
      readonly parent: string
      readonly ids: (parent: FoundRecord) => readonly string[]
    }
  /** Nobody looks for them: they die within the hour, or are counters. */
  | { readonly by: 'nobody' }

/** A record with the parts of its key. */
export interface FoundRecord<Value extends Json = Json> extends StoredRecord<Value> {
  /** An instance's id, or a shared tag. */
  readonly tag: string
  readonly kind: string
  readonly id: string
}

/** What a sealed value is bound to, as the sealer that sealed it wants it. */
export type SealContext =
  /** `Sealer.seal(plain, context)`. */
  | { readonly context: string }
  /** `Sealer.derive(salt, info).seal(plain, aad)`. */
  | { readonly salt: string; readonly info: string; readonly aad: string }
  /** `Sealer.derive(salt, info).sign(signed)`: it hides nothing, it proves that this server wrote what is signed. */
  | { readonly salt: string; readonly info: string; readonly signed: string }

/** Members of a kind's values that are sealed. */
export interface SealedPlace {
  /**
   * Names of members from the value down. `*`: every member or entry; `**`: members at any depth, itself included;
   * `*_x`: every member whose name ends so.
   */
  readonly path: readonly string[]
  /**
   * Undefined: this value is none of ours.
   * @param path - names and positions that lead to this very value
   */
  readonly context: (record: FoundRecord, path: readonly string[]) => SealContext | undefined
  /** It proves the key that sealed it, and is never sealed with another. */
  readonly provesKey?: true
}

/**
 * A kind of record, declared once by the package that keeps it. Reseal, export, verification, migration, removal of an
 * instance and `docs/data-model.md` read it here.
 * @see operation.md 0.1, 0.2
 */
export interface RecordKind {
  /** The second part of its keys: lower-case letters, digits, `-`. */
  readonly kind: string
  /** Of values as they are written now. A value says its version in its member `v`; without one it has version 1. */
  readonly version: number
  /** JSON schema (draft 2020-12) of a value of that version. */
  readonly schema: JsonSchema
  /** Pure and total: the first makes a value of version 2 from one of version 1, and so on; `version - 1` of them. */
  readonly migrate?: readonly ((value: Json) => Json)[]
  /** `instance`: under the id of an instance; else the shared tags. */
  readonly tags: 'instance' | readonly string[]
  readonly places: RecordPlaces
  readonly sealed?: readonly SealedPlace[]
  /** Counted with `Store.hit`: it has no value. */
  readonly isCounter?: true
  /** A phrase for the operator: "30 days after its last use". */
  readonly life: string
  /** Whether an export of an instance holds it; else why not, in a sentence. */
  readonly export: 'yes' | { readonly no: string }
  /** What it is, for the operator and `docs/data-model.md`. */
  readonly content: string
}

const NAME = /^[a-z][a-z0-9-]{0,31}$/

/** @throws TypeError for a kind that contradicts itself */
export function checkRecordKind(kind: RecordKind): void {
  const { version, migrate = [], places } = kind
  if (!NAME.test(kind.kind)) throw new TypeError(`malformed record kind ${kind.kind}`)
  if (!Number.isInteger(version) || version < 1 || migrate.length !== version - 1) {
    throw new TypeError(`${kind.kind}: version ${version} needs ${version - 1} migrations`)
  }
  if (places.by === 'nobody' && kind.export === 'yes') {
    throw new TypeError(`${kind.kind}: nobody finds its records, so they are not exported`)
  }
  if (kind.tags !== 'instance' && kind.export === 'yes') {
    throw new TypeError(`${kind.kind}: its records are no instance's, so they are not exported`)
  }
  if (kind.isCounter === true && (places.by !== 'nobody' || kind.sealed !== undefined)) {
    throw new TypeError(`${kind.kind}: a counter is neither found nor sealed`)
  }
}
