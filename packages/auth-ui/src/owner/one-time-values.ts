import { type Instance, randomAlphanumeric, randomHex } from '@svc/platform'
import { type Change, type Json, type Key, type Revision, secretKey } from '@svc/store'
import type { Lifetimes } from '../lifetimes.ts'
import type { AuthUiServices } from '../services.ts'
import type { Owner } from './owner.ts'

/**
 * Short-lived secrets of one kind, kept as hashes, bound to their instance and to the passphrase of their time.
 * @see login.md 2.3, 7.1
 */
export interface ValueKind {
  /** Of the record's key. */
  readonly kind: string
  /** `alphanumeric`: 32 characters `[A-Za-z0-9]`; `hex`: 32 characters, 128 random bits. */
  readonly form: 'alphanumeric' | 'hex'
  readonly lifetime: keyof Lifetimes
}

/** A live value, with what a conditional write needs. */
export interface FoundValue<Value extends Json> {
  readonly value: Value
  readonly key: Key
  readonly revision: Revision
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

const FORMS = { alphanumeric: /^[A-Za-z0-9]{32}$/, hex: /^[0-9a-f]{32}$/ } as const

/**
 * Stores a value under a fresh secret. The record carries the security stamp of its time: a passphrase change ends it.
 * @param also - more changes of the same write
 * @returns the secret
 */
export async function createValue(
  { store, clock, lifetimes }: Pick<AuthUiServices, 'clock' | 'lifetimes' | 'store'>,
  { kind, form, lifetime }: ValueKind,
  instance: Instance,
  owner: Owner,
  value: Json,
  also: readonly Change[] = [],
): Promise<string> {
  const secret = form === 'hex' ? randomHex(16) : randomAlphanumeric(32)
  await store.write([
    {
      op: 'put',
      key: secretKey(instance.id, kind, secret),
      value: { stamp: owner.securityStamp, value },
      expiresAt: clock.now() + lifetimes[lifetime],
    },
    ...also,
  ])
  return secret
}

/** Uses nothing up. Undefined when the secret is not (or no longer) good. */
export async function findValue<Value extends Json>(
  { store }: Pick<AuthUiServices, 'store'>,
  { kind, form }: ValueKind,
  instance: Instance,
  owner: Owner,
  secret: string,
): Promise<FoundValue<Value> | undefined> {
  if (!FORMS[form].test(secret)) return undefined
  const key = secretKey(instance.id, kind, secret)
  const record = await store.get<{ stamp: string; value: Value }>(key)
  if (record === undefined || record.value.stamp !== owner.securityStamp) return undefined
  const { value, revision, expiresAt = 0 } = record
  return { value: value.value, key, revision, expiresAt }
}

/** The change that replaces a value which nobody changed or used up since it was found. */
export function replaceValue<Value extends Json>(
  { key, revision, expiresAt }: FoundValue<Value>,
  owner: Owner,
  value: Value,
): Change {
  const record = { stamp: owner.securityStamp, value }
  return { op: 'put', key, value: record, expiresAt, ifRevision: revision }
}

/** Uses the secret up: of N parallel callers exactly one gets the value. */
export async function takeValue<Value extends Json>(
  services: Pick<AuthUiServices, 'store'>,
  kind: ValueKind,
  instance: Instance,
  owner: Owner,
  secret: string,
): Promise<Value | undefined> {
  const found = await findValue<Value>(services, kind, instance, owner, secret)
  if (found === undefined) return undefined
  const record = await services.store.take<{ stamp: string; value: Value }>(found.key)
  return record?.value.value
}
