import { createReadStream, createWriteStream, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { openNewFile } from '@svc/store'

/** Loaded with the first encrypted backup. */
const loadAge = () => import('age-encryption')

/** @throws Error when it is none */
export async function checkRecipient(recipient: string): Promise<void> {
  const { Encrypter } = await loadAge()
  try {
    new Encrypter().addRecipient(recipient)
  } catch (cause) {
    throw new Error('--recipient is the public key of an age identity, such as age1….', { cause })
  }
}

/** Writes a file again in the age format. */
export async function encryptFile(from: string, to: string, recipient: string): Promise<void> {
  const { Encrypter } = await loadAge()
  const encrypter = new Encrypter()
  encrypter.addRecipient(recipient)
  await write(await encrypter.encrypt(read(from)), to)
}

/** Opens a file in the age format with the identities that a file of `age-keygen` holds. */
export async function decryptFile(from: string, to: string, identityFile: string): Promise<void> {
  const { Decrypter } = await loadAge()
  const decrypter = new Decrypter()
  for (const line of (await readFile(identityFile, 'utf8')).split('\n')) {
    const identity = line.trim()
    if (identity !== '' && !identity.startsWith('#')) decrypter.addIdentity(identity)
  }
  await write(await decrypter.decrypt(read(from)), to)
}

type Bytes = globalThis.ReadableStream<Uint8Array>

function read(file: string): Bytes {
  const stream: ReadableStream = Readable.toWeb(createReadStream(file, { highWaterMark: 1 << 20 }))
  return stream as unknown as Bytes // The same class under another name.
}

async function write(bytes: Bytes, file: string): Promise<void> {
  const stream = Readable.fromWeb(bytes as unknown as ReadableStream) // The same class under another name.
  rmSync(file, { force: true }) // Of a process that was killed.
  await pipeline(stream, createWriteStream(file, { fd: openNewFile(file), flush: true }))
}
