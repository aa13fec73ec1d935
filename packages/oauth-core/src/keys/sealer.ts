import { decrypt, encrypt } from './aes-gcm.ts'
import { openWith } from './sealed-text.ts'
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

/** A sealed value in the store, with what is needed to open it. */
export interface SealedValue {
  readonly sealed: string
  /** @throws SealedValueError when the sealer has not the key that it was sealed with */
  readonly open: (sealer: Sealer) => unknown
}

const KID = /^[A-Za-z0-9_-]{1,32}$/

/**
 * @param keys - the first seals, all open
 * @throws TypeError for an empty keyring, a bad or doubled `kid`, a key that is not 32 bytes
 */
export function createSealer(keys: readonly SealingKey[]): Sealer {
  const byKid = new Map<string, Buffer>()
  for (const { kid, key } of keys) {
    if (!KID.test(kid) || byKid.has(kid))
      throw new TypeError('options.keys: a kid is malformed or doubled')
    if (key.byteLength !== 32)
      throw new TypeError(`options.keys: key ${kid} does not have 32 bytes`)
    byKid.set(kid, Buffer.from(key))
  }
  const first = keys[0]
  if (first === undefined) throw new TypeError('options.keys: at least one sealing key is needed')
  const { kid: currentKid } = first
  const sealingKey = Buffer.from(first.key)

  function seal(plain: Uint8Array | string, context: string): string {
    return `${currentKid}.${encrypt(sealingKey, plain, context).toString('base64url')}`
  }

  function open(text: string, context: string): Buffer {
    const dot = text.indexOf('.')
    const key = byKid.get(text.slice(0, dot))
    return openWith(key, text, (known) =>
      decrypt(known, Buffer.from(text.slice(dot + 1), 'base64url'), context),
    )
  }

  return { seal, open, derive: createDerivation(byKid, currentKid) }
}
