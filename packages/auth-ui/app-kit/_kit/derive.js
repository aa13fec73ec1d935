/**
 * Derives the value that logs in, so that the passphrase never leaves the browser.
 *
 *     master = PBKDF2-HMAC-SHA256(password = utf8(passphrase), salt = utf8(salt), iterations, 32 bytes)
 *     login  = base64(PBKDF2-HMAC-SHA256(password = master, salt = utf8(passphrase), 1 iteration, 32 bytes))
 *
 * It does not normalise: that would lock out owners whose passphrase was stored as typed. New ones are NFC.
 */

const KEY_BITS = 256

/** Iterations for passphrases chosen now. */
export const NEW_PASSPHRASE_ITERATIONS = 650_000

/** Whether this browser can derive here: WebCrypto exists only on https and on localhost. */
export const canDerive = () => globalThis.crypto?.subtle !== undefined

/**
 * @param {string} passphrase as typed
 * @param {string} salt of the instance
 * @param {number} iterations of the instance, 50 000 to 5 000 000
 * @returns {Promise<string>} standard base64 with padding, 44 characters
 */
export async function derivePassphrase(passphrase, salt, iterations) {
  const utf8 = new TextEncoder()
  const typed = utf8.encode(passphrase)
  const master = await pbkdf2(typed, utf8.encode(salt), iterations)
  const login = await pbkdf2(master, typed, 1)
  return btoa(String.fromCharCode(...login))
}

/** The other Unicode spelling, NFC or NFD; the same text if there is one only.  @param {string} passphrase */
export function otherSpelling(passphrase) {
  const composed = passphrase.normalize('NFC')
  return passphrase === composed ? passphrase.normalize('NFD') : composed
}

/**
 * @param {Uint8Array<ArrayBuffer>} password
 * @param {Uint8Array<ArrayBuffer>} salt
 * @param {number} iterations
 */
async function pbkdf2(password, salt, iterations) {
  const key = await crypto.subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits'])
  const parameters = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations }
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, key, KEY_BITS))
}
