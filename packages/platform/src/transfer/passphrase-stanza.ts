import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import type { Identity, Recipient, Stanza } from 'age-encryption'

const LABEL = 'age-encryption.org/v1/scrypt'
/** As age itself: about a second of one core, and 256 MiB. */
const WORK_FACTOR = 18
const MAX_WORK_FACTOR = 20
const NONCE = Buffer.alloc(12)
const TAG_BYTES = 16

/** The library's own derives keys on the thread that answers requests, for seconds. */
const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)

function wrappingKey(passphrase: string, salt: Uint8Array, workFactor: number): Promise<Buffer> {
  const N = 2 ** workFactor
  const options = { N, r: 8, p: 1, maxmem: 129 * 8 * N }
  return derive(passphrase, Buffer.concat([Buffer.from(LABEL), salt]), 32, options)
}

/** Encrypts to a passphrase. @see the age format (C2SP), "The scrypt recipient type" */
export function passphraseRecipient(
  passphrase: string,
  MakeStanza: new (args: string[], body: Uint8Array) => Stanza,
): Recipient {
  return {
    async wrapFileKey(fileKey) {
      const salt = randomBytes(16)
      const key = await wrappingKey(passphrase, salt, WORK_FACTOR)
      const cipher = createCipheriv('chacha20-poly1305', key, NONCE, { authTagLength: TAG_BYTES })
      const body = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()])
      const text = salt.toString('base64').replace(/=+$/, '')
      return [new MakeStanza(['scrypt', text, String(WORK_FACTOR)], body)]
    },
  }
}

/** Opens what is encrypted to a passphrase. */
export function passphraseIdentity(passphrase: string): Identity {
  return {
    async unwrapFileKey(stanzas) {
      const [stanza] = stanzas
      const [type, salt = '', factor = ''] = stanza?.args ?? []
      if (stanza === undefined || type !== 'scrypt' || stanzas.length !== 1) return null
      const workFactor = /^[1-9][0-9]?$/.test(factor) ? Number(factor) : MAX_WORK_FACTOR + 1
      if (workFactor > MAX_WORK_FACTOR) return null
      const key = await wrappingKey(passphrase, Buffer.from(salt, 'base64'), workFactor)
      return open(key, stanza.body)
    },
  }
}

function open(key: Buffer, body: Uint8Array): Uint8Array | null {
  const cipher = createDecipheriv('chacha20-poly1305', key, NONCE, { authTagLength: TAG_BYTES })
  cipher.setAuthTag(body.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([cipher.update(body.subarray(0, -TAG_BYTES)), cipher.final()])
  } catch {
    return null // Another passphrase.
  }
}
