import { createSecretKey } from 'node:crypto'
import { defineOptions, instance, list, object, type Option, text } from '../options.ts'
import { decrypt, encrypt } from './aes-gcm.ts'
import { canonicalBytes, openWith } from './sealed-text.ts'
import { createDerivation, type ValueSealer } from './value-sealer.ts'

/** A key of the host's keyring (D52). */
export interface SealingKey {
  /** Name of the key, letters, digits, `-`, `_`; travels with what it sealed. */
  readonly kid: string
  /** 32 random bytes. */
  readonly key: Uint8Array
}

/** Encrypts what the store keeps reversibly: client secrets, signing keys, provider secrets. */
export interface Sealer {
  /** AES-256-GCM under the first key. `context` (what the secret is and whose) must be given again to open. */
  seal(plain: Uint8Array | string, context: string): string
  /** @throws SealedValueError when the key is unknown, or the text or the context is not what was sealed */
  open(sealed: string, context: string): Buffer
  /**
   * Seals values of documents under keys of their own: HKDF-SHA256 of each key of the keyring.
   * @param salt - whose they are, such as an instance id
   * @param info - what they are for, such as `svc/account/v1`
   */
  derive(salt: string, info: string): ValueSealer
}

const KEY_BYTES = 32
const MOST_KEYS = 100

/**
 * The option that holds a keyring.
 * @example
 * const OPTIONS = defineOptions({ keys: sealingKeysOption() })
 */
export function sealingKeysOption(): Option<readonly SealingKey[]> {
  const kid = text('1 to 32 letters, digits, - and _', { pattern: '^[A-Za-z0-9_-]{1,32}$' })
  const key = instance<Uint8Array>(`${KEY_BYTES} random bytes`, isBytes).that(({ byteLength }) =>
    byteLength === KEY_BYTES
      ? undefined
      : `${byteLength} bytes, needs ${KEY_BYTES}. Make one with: openssl rand -base64 32`,
  )
  return list(object({ kid, key }), MOST_KEYS).that((keys) => {
    if (keys.length === 0) return 'must have at least one key'
    const names = keys.map((one) => one.kid)
    const twice = names.findIndex((name, at) => names.indexOf(name) < at)
    return twice < 0 ? undefined : { [`[${twice}].kid`]: 'is there twice' }
  })
}

const KEYRING = defineOptions({ keys: sealingKeysOption() })

function isBytes(value: unknown): boolean {
  return value instanceof Uint8Array
}

/** A sealed value in the store, with what is needed to open it. */
export interface SealedValue {
  readonly sealed: string
  /** @throws SealedValueError when the sealer has not the key that it was sealed with */
  readonly open: (sealer: Sealer) => unknown
}

/**
 * @param keys - the first seals, all open
 * @throws TypeError for an empty keyring, a bad or doubled `kid`, a key that is not 32 bytes
 */
export function createSealer(keys: readonly SealingKey[]): Sealer {
  const [first, ...others] = KEYRING.settle({ keys }).keys
  // The definition asks for one.
  if (first === undefined) throw new TypeError('there is no sealing key')
  // A key object seals several times as fast as its bytes.
  const byKid = new Map(
    [first, ...others].map(({ kid, key }) => [kid, createSecretKey(key)] as const),
  )
  const { kid: currentKid } = first
  const sealingKey = createSecretKey(first.key)

  function seal(plain: Uint8Array | string, context: string): string {
    return `${currentKid}.${encrypt(sealingKey, plain, context).toString('base64url')}`
  }

  function open(text: string, context: string): Buffer {
    const dot = text.indexOf('.')
    const key = byKid.get(text.slice(0, dot))
    return openWith(key, text, (known) =>
      decrypt(known, canonicalBytes(text.slice(dot + 1)), context),
    )
  }

  return { seal, open, derive: createDerivation(byKid, currentKid) }
}
