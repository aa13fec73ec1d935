import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { type Key, recordKey, type Revision, secretKey, type Store } from '@svc/store'
import type { Client, ClientId } from '../clients/client.ts'
import { clientKey } from '../clients/client-record.ts'
import { equalSecrets, type Instance, type Keyring } from '@svc/platform'
import { FLAGSHIP_CODE_MS, FLAGSHIP_MAIL_PAUSE_MS } from '../lifetimes.ts'

/** A mailed code that a client waits for, as its page needs it. */
export interface PendingCode {
  /** For the form; absent when the code was used or guessed at too often. */
  readonly token?: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  /** Whether a new code may be mailed already. */
  readonly isRenewable: boolean
}

/** A code that was just made. */
export interface NewCode {
  readonly token: string
  /** Six digits, for the mail and nothing else. */
  readonly code: string
  readonly expiresAt: number
  /** Takes it back: it could not be mailed. */
  drop(): Promise<void>
}

/**
 * Codes by which an owner certifies a client, one at a time for each client. What is stored is no secret: token and
 * code follow from it and the instance's key. @see oauth.md 4.6, 5.5; security.md 94; decision D46
 */
export interface FlagshipCodes {
  find(instance: Instance, client: Client): Promise<PendingCode | undefined>
  /** Takes the place of the one before; undefined when another request was faster, or the client is gone. */
  create(instance: Instance, client: Client): Promise<NewCode | undefined>
  /** Uses the code up: of N parallel right answers exactly one gets `true`; the fifth wrong one ends it. */
  redeem(
    instance: Instance,
    client: Client,
    answer: { readonly token: string; readonly code: string },
  ): Promise<boolean>
  /** Drops what a client whose record is gone was waiting for. */
  forget(instance: Instance, clientId: ClientId): Promise<void>
}

/** How a token and its code are made again. */
type CodeRecord = {
  /** 32 bytes, base64url. */
  readonly salt: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** Neither used nor guessed at too often. */
  readonly isOpen: boolean
}

const SALT_BYTES = 32
const MAX_TRIES = 5
/** Beyond the life of a code, so that its tries are never forgotten before it. */
const TRIES_WINDOW_MS = 2 * FLAGSHIP_CODE_MS

export function createFlagshipCodes(options: {
  readonly store: Store
  readonly clock: { now(): number }
  readonly keyring: Pick<Keyring, 'current'>
}): FlagshipCodes {
  const { store, clock, keyring } = options

  /** Of this client, with the addresses it has now: what is certified is the app behind them (D21). */
  async function secretsOf(instance: Instance, client: Client, { salt, createdAt }: CodeRecord) {
    const { secret } = await keyring.current(instance, 'session')
    const addresses = JSON.stringify(client.metadata.redirect_uris)
    const info = createHash('sha256').update(`flagship-code:${client.id}:${addresses}`).digest()
    const body = Buffer.concat([timeBytes(createdAt), Buffer.from(salt, 'base64url')])
    const key = new Uint8Array(hkdfSync('sha256', Buffer.concat([PREFIX, secret]), body, info, 32))
    const tag = createHmac('sha256', key).update('token').digest()
    const number = createHmac('sha256', key).update('code').digest().readUIntBE(0, 6) % 1_000_000
    return {
      token: Buffer.concat([body, tag]).toString('base64url'),
      code: String(number).padStart(6, '0'),
    }
  }

  async function read(instance: Instance, clientId: ClientId) {
    return store.get<CodeRecord>(codeKey(instance, clientId))
  }

  async function close(instance: Instance, id: ClientId, value: CodeRecord, ifRevision: Revision) {
    const expiresAt = value.createdAt + FLAGSHIP_CODE_MS
    const closed = { ...value, isOpen: false }
    const key = codeKey(instance, id)
    return store.write([{ op: 'put', key, value: closed, expiresAt, ifRevision }])
  }

  return {
    async find(instance, client) {
      const record = await read(instance, client.id)
      if (record === undefined) return undefined
      const { createdAt, isOpen } = record.value
      const { token } = await secretsOf(instance, client, record.value)
      return {
        expiresAt: createdAt + FLAGSHIP_CODE_MS,
        isRenewable: clock.now() - createdAt >= FLAGSHIP_MAIL_PAUSE_MS,
        ...(isOpen ? { token } : {}),
      }
    },

    async create(instance, client) {
      const previous = await read(instance, client.id)
      const createdAt = clock.now()
      if (previous !== undefined && createdAt - previous.value.createdAt < FLAGSHIP_MAIL_PAUSE_MS) {
        return undefined
      }
      const salt = randomBytes(SALT_BYTES).toString('base64url')
      const value: CodeRecord = { salt, createdAt, isOpen: true }
      const key = codeKey(instance, client.id)
      const expiresAt = createdAt + FLAGSHIP_CODE_MS
      const condition =
        previous === undefined ? { ifAbsent: true as const } : { ifRevision: previous.revision }
      const result = await store.write([
        { op: 'check', key: clientKey(instance.id, client.id), ifPresent: true },
        { op: 'put', key, value, expiresAt, ...condition },
      ])
      if (!result.written) return undefined
      const { revision: ifRevision } = result
      return {
        ...(await secretsOf(instance, client, value)),
        expiresAt,
        async drop() {
          await store.write([{ op: 'delete', key, ifRevision }])
        },
      }
    },

    async redeem(instance, client, { token, code }) {
      const record = await read(instance, client.id)
      if (record === undefined || !record.value.isOpen) return false
      const right = await secretsOf(instance, client, record.value)
      if (!equalSecrets(right.token, token)) return false
      // Counted before it is compared: parallel guesses cannot pass together.
      const tries = secretKey(instance.id, 'flagship-tries', token)
      const { count } = await store.hit(tries, TRIES_WINDOW_MS)
      if (count > MAX_TRIES) return false
      const isRight = equalSecrets(right.code, code)
      if (!isRight && count < MAX_TRIES) return false
      const { written } = await close(instance, client.id, record.value, record.revision)
      return isRight && written
    },

    async forget(instance, clientId) {
      await store.write([{ op: 'delete', key: codeKey(instance, clientId) }])
    },
  }
}

/** The session key also signs other things: a key with a prefix is another key. @see login.md 3.4 */
const PREFIX = Buffer.from('2:')

function timeBytes(milliseconds: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(milliseconds))
  return bytes
}

function codeKey(instance: Instance, clientId: ClientId): Key {
  return recordKey(instance.id, 'flagship-code', clientId)
}
