import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { decrypt, encrypt, NONCE_BYTES } from './aes-gcm.ts'
import { canonicalBytes, openWith, SealedValueError } from './sealed-text.ts'

/**
 * Seals single values of documents, so that each says which key of the keyring it needs:
 * `v1.<kid>.<nonce>.<ciphertext and tag>`, the last two base64url.
 * @see connectors.md 7.3
 */
export interface ValueSealer {
  /**
   * Under the first key of the keyring.
   * @param aad - where the value stands (whose, which document, which field); must be given again to open
   */
  seal(plain: Uint8Array | string, aad: string): string
  /** @throws SealedValueError when the key is unknown, or the text or `aad` is not what was sealed */
  open(sealed: string, aad: string): Buffer
  /** HMAC-SHA-256 of a text under the first key of the keyring: `<kid>.<base64url>`. */
  sign(text: string): string
  /** @throws SealedValueError when the key is unknown, or the text is not what was signed */
  verify(signature: string, text: string): void
}

/** How many derived keys are kept: one per instance in use and key of the keyring. */
const CACHED_KEYS = 10_000
const VERSION = 'v1'
const SEALED = /^v1\.([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]{22,})$/

/**
 * Makes sealers whose keys are HKDF-SHA256 of the keyring's.
 * @param keys - by kid, 32 bytes each
 * @param currentKid - the one that seals
 */
export function createDerivation(
  keys: ReadonlyMap<string, KeyObject>,
  currentKid: string,
): (salt: string, info: string) => ValueSealer {
  // A `max` would take the memory of all of them at once.
  const derived = new LRUCache<string, KeyObject>({
    maxSize: CACHED_KEYS,
    sizeCalculation: () => 1,
  })

  function keyOf(kid: string, salt: string, info: string): KeyObject | undefined {
    const master = keys.get(kid)
    if (master === undefined) return undefined
    const name = JSON.stringify([kid, salt, info])
    let key = derived.get(name)
    if (key === undefined) {
      key = createSecretKey(Buffer.from(hkdfSync('sha256', master, salt, info, 32)))
      derived.set(name, key)
    }
    return key
  }

  return (salt, info) => ({
    seal(plain, aad) {
      const key = keyOf(currentKid, salt, info)
      if (key === undefined) throw new TypeError('the key that seals is not in the keyring')
      const bytes = encrypt(key, plain, aad)
      const nonce = bytes.toString('base64url', 0, NONCE_BYTES)
      return `${VERSION}.${currentKid}.${nonce}.${bytes.toString('base64url', NONCE_BYTES)}`
    },
    open(sealed, aad) {
      const [, kid, nonce, body] = SEALED.exec(sealed) ?? []
      if (kid === undefined || nonce === undefined || body === undefined)
        throw new SealedValueError(undefined, 'malformed sealed text')
      return openWith(keyOf(kid, salt, info), sealed, (key) =>
        decrypt(key, Buffer.concat([canonicalBytes(nonce), canonicalBytes(body)]), aad),
      )
    },
    sign(text) {
      const key = keyOf(currentKid, salt, info)
      if (key === undefined) throw new TypeError('the key that seals is not in the keyring')
      return `${currentKid}.${signatureOf(key, text).toString('base64url')}`
    },
    verify(signature, text) {
      const [kid = '', given = ''] = signature.split('.')
      openWith(keyOf(kid, salt, info), signature, (key) => {
        const right = signatureOf(key, text)
        const bytes = canonicalBytes(given)
        if (bytes.length !== right.length || !timingSafeEqual(bytes, right)) {
          throw new TypeError('it signs something else')
        }
        return right
      })
    },
  })
}

function signatureOf(key: KeyObject, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
