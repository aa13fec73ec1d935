import { type Instance, randomAlphanumeric, randomHex } from '@svc/platform'
import { type Json, type Key, type Revision, secretKey, type Store } from '@svc/store'
import type { Owner } from './owner.ts'

/** A live value, with what a conditional write needs. */
export interface FoundValue<Value extends Json> {
  readonly value: Value
  readonly key: Key
  readonly revision: Revision
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/**
 * Short-lived secrets of one kind, kept as hashes, bound to their instance and to the passphrase of their time.
 * @see login.md 2.3, 7.1
 */
export interface OneTimeValues<Value extends Json> {
  /** Stores a value under a fresh secret and answers the secret. */
  create(instance: Instance, owner: Owner, value: Value): Promise<string>
  /** Uses nothing up. */
  find(instance: Instance, owner: Owner, secret: string): Promise<FoundValue<Value> | undefined>
  /** Uses the secret up: of N parallel callers exactly one gets the value. */
  take(instance: Instance, owner: Owner, secret: string): Promise<Value | undefined>
}

/** What {@link createOneTimeValues} needs. */
export interface OneTimeValuesOptions {
  readonly store: Store
  readonly clock: { now(): number }
  /** Of the record's key. */
  readonly kind: string
  /** `alphanumeric`: 32 characters `[A-Za-z0-9]`; `hex`: 32 characters, 128 random bits. */
  readonly form: 'alphanumeric' | 'hex'
  readonly lifetimeMs: number
}

const FORMS = { alphanumeric: /^[A-Za-z0-9]{32}$/, hex: /^[0-9a-f]{32}$/ } as const

/** Records carry the security stamp of their time: a passphrase change ends them all. */
export function createOneTimeValues<Value extends Json>(
  options: OneTimeValuesOptions,
): OneTimeValues<Value> {
  const { store, clock, kind, form, lifetimeMs } = options

  async function find(
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

  return {
    async create(instance, owner, value) {
      const secret = form === 'hex' ? randomHex(16) : randomAlphanumeric(32)
      await store.write([
        {
          op: 'put',
          key: secretKey(instance.id, kind, secret),
          value: { stamp: owner.securityStamp, value },
          expiresAt: clock.now() + lifetimeMs,
        },
      ])
      return secret
    },
    find,
    async take(instance, owner, secret) {
      const found = await find(instance, owner, secret)
      if (found === undefined) return undefined
      const record = await store.take<{ stamp: string; value: Value }>(found.key)
      return record?.value.value
    },
  }
}
