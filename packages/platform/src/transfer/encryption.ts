import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { describeError } from '@svc/store'
import { passphraseIdentity, passphraseRecipient } from './passphrase-stanza.ts'
import { TransferError } from './transfer-error.ts'

/** Who can read an export: whoever holds the identity of a recipient, or knows the passphrase. @see age-encryption.org */
export type ExportKey =
  /** Such as `age1…`. */
  { readonly recipients: readonly string[] } | { readonly passphrase: string }

/** What opens an export. */
export type ImportKey =
  /** Such as `AGE-SECRET-KEY-1…`. */
  { readonly identities: readonly string[] } | { readonly passphrase: string }

/** Loaded with the first export: an idle server does without the library. */
const loadAge = () => import('age-encryption')

/**
 * Encrypts to a file in the age format.
 * @throws TypeError when a recipient is none
 */
export async function encrypt(
  plain: AsyncIterable<Uint8Array>,
  key: ExportKey,
): Promise<AsyncIterable<Uint8Array>> {
  const { Encrypter, Stanza } = await loadAge()
  const encrypter = new Encrypter()
  if ('passphrase' in key) {
    if (key.passphrase === '') throw new TypeError('the passphrase is empty')
    encrypter.addRecipient(passphraseRecipient(key.passphrase, Stanza))
  } else {
    if (key.recipients.length === 0) throw new TypeError('an export has a recipient')
    for (const recipient of key.recipients) addRecipient(encrypter, recipient)
  }
  return (await encrypter.encrypt(toWeb(plain))) as AsyncIterable<Uint8Array>
}

function addRecipient(encrypter: { addRecipient(text: string): void }, recipient: string): void {
  try {
    encrypter.addRecipient(recipient)
  } catch (cause) {
    throw new TypeError(`${recipient.slice(0, 100)} is no recipient of age`, { cause })
  }
}

/**
 * Opens a file in the age format.
 * @throws TransferError `export_locked`, `export_damaged`; the latter maybe only while it is read
 */
export async function* decrypt(
  file: AsyncIterable<Uint8Array>,
  key: ImportKey,
): AsyncGenerator<Uint8Array> {
  const { Decrypter } = await loadAge()
  const decrypter = new Decrypter()
  if ('passphrase' in key) decrypter.addIdentity(passphraseIdentity(key.passphrase))
  else for (const identity of key.identities) addIdentity(decrypter, identity)
  try {
    yield* (await decrypter.decrypt(toWeb(file))) as AsyncIterable<Uint8Array>
  } catch (cause) {
    const detail = describeError(cause)
    throw /no identity matched|passphrase/.test(detail)
      ? new TransferError('export_locked', {
          description: 'This file is not encrypted to that identity or passphrase.',
          detail,
          cause,
        })
      : new TransferError('export_damaged', {
          description: 'This file is cut, was changed, or is no export of an instance.',
          detail,
          cause,
        })
  }
}

function addIdentity(decrypter: { addIdentity(text: string): void }, identity: string): void {
  try {
    decrypter.addIdentity(identity)
  } catch (cause) {
    throw new TypeError('a line is no identity of age', { cause })
  }
}

/** The library knows the streams of the web. */
function toWeb(bytes: AsyncIterable<Uint8Array>): globalThis.ReadableStream<Uint8Array> {
  const stream: ReadableStream = Readable.toWeb(Readable.from(bytes, { objectMode: true }))
  return stream as unknown as globalThis.ReadableStream<Uint8Array> // The same class under another name.
}
