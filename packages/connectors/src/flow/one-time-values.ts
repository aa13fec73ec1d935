import { type InstanceId, type Logger, randomId, type Sealer } from '@svc/platform'
import { describeError, type IndexEntry, type Key, secretKey, type Store } from '@svc/store'

/** Short-lived values of an instance under random tokens: sealed, keyed by hash, taken once. */
export interface OneTimeValues<Value> {
  put(instance: InstanceId, token: string, value: Value, index?: IndexEntry): Promise<void>
  /** Uses the token up: of N parallel callers exactly one gets the value. */
  take(instance: InstanceId, token: string): Promise<Value | undefined>
}

export interface OneTimeValuesOptions {
  readonly store: Store
  readonly sealer: Pick<Sealer, 'derive'>
  readonly clock: { now(): number }
  readonly log: Logger
  /** Of the record's key. */
  readonly kind: string
  /** Milliseconds. */
  readonly lifetimeMs: number
}

const TOKEN = /^[A-Za-z0-9_-]{43}$/
const TOKEN_BYTES = 32

/** 256 random bits, 43 characters. @see connectors.md 4.3 */
export function createToken(): string {
  return randomId(TOKEN_BYTES)
}

export function isToken(text: string): boolean {
  return TOKEN.test(text)
}

/** The value's type is what this very code stored: it was sealed, so nobody else wrote it. */
export function createOneTimeValues<Value extends object>(
  options: OneTimeValuesOptions,
): OneTimeValues<Value> {
  const { store, sealer, clock, log, kind, lifetimeMs } = options
  const keyOf = (instance: InstanceId, token: string): Key => secretKey(instance, kind, token)
  const sealerOf = (instance: InstanceId) => sealer.derive(instance, 'svc/account/v1')

  return {
    async put(instance, token, value, index) {
      const key = keyOf(instance, token)
      await store.write([
        {
          op: 'put',
          key,
          // The key says whose it is, what it is, and of which token.
          value: sealerOf(instance).seal(JSON.stringify(value), key),
          expiresAt: clock.now() + lifetimeMs,
          ...(index && { indexes: [index] }),
        },
      ])
    },
    async take(instance, token) {
      if (!isToken(token)) return undefined
      const record = await store.take<string>(keyOf(instance, token))
      if (record === undefined) return undefined
      try {
        return JSON.parse(sealerOf(instance).open(record.value, record.key).toString()) as Value
      } catch (error) {
        log.error('account.value_unreadable', { kind, cause: describeError(error) })
        return undefined
      }
    },
  }
}
