import type { Json } from '@svc/store'
import type { RecordKind } from './record-kind.ts'

/** A stored value that is of no version that its kind knows: the request fails, and nothing is guessed. */
export class MalformedRecordError extends Error {
  override readonly name: string = 'MalformedRecordError'
  readonly code: string = 'record_malformed'
  readonly status: number = 500
  readonly kind: string

  constructor(kind: string, reason: string, options?: ErrorOptions) {
    super(`a record of the kind ${kind} ${reason}`, options)
    this.kind = kind
  }
}

type Versions = Pick<RecordKind, 'kind' | 'migrate' | 'version'>

/**
 * The value as the present version of its kind has it. It says its version in `v`, unless that is 1.
 * @throws MalformedRecordError when it is of no version that is known, or a migration fails
 */
export function bringForward({ kind, migrate = [], version }: Versions, value: Json): Json {
  const found = versionOf(value)
  if (!Number.isInteger(found) || found < 1 || found > version) {
    throw new MalformedRecordError(kind, `has version ${found}, known are 1 to ${version}`)
  }
  if (found === version) return value
  try {
    return withVersion(
      version,
      migrate.slice(found - 1).reduce((older, step) => step(older), value),
    )
  } catch (cause) {
    throw new MalformedRecordError(kind, `of version ${found} cannot be brought forward`, { cause })
  }
}

/** @throws TypeError for what has no members: a kind above version 1 has */
export function withVersion(version: number, value: Json): Json {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new TypeError(`a value of version ${version} has members`)
  }
  return { ...value, v: version }
}

function versionOf(value: Json): number {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return 1
  const { v = 1 } = value as { readonly v?: Json }
  return typeof v === 'number' ? v : Number.NaN
}
