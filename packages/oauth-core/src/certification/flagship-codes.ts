import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { type Key, recordKey, secretKey, type Store, type StoredRecord } from '@svc/store'
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
 * What codes are made of by which an owner certifies a client, one at a time for each client. What is stored is no
 * secret: token and code follow from it and the instance's key. @see oauth.md 4.6, 5.5; security.md 94; decision D46
 */
export interface FlagshipCodeServices {
  readonly store: Store
  readonly clock: { now(): number }
  readonly keyring: Pick<Keyring, 'current'>
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

/** The code that a client waits for, or undefined. */
export async function findFlagshipCode(
  services: FlagshipCodeServices,
  instance: Instance,
  client: Client,
): Promise<PendingCode | undefined> {
  const record = await read(services, instance, client.id)
  if (record === undefined) return undefined
  const { createdAt, isOpen } = record.value
  const { token } = await secretsOf(services, instance, client, record.value)
  return {
    expiresAt: createdAt + FLAGSHIP_CODE_MS,
    isRenewable: services.clock.now() - createdAt >= FLAGSHIP_MAIL_PAUSE_MS,
    ...(isOpen ? { token } : {}),
  }
}

/** Takes the place of the code before; undefined when another request was faster, or the client is gone. */
export async function createFlagshipCode(
  services: FlagshipCodeServices,
  instance: Instance,
  client: Client,
): Promise<NewCode | undefined> {
  const { store, clock } = services
  const previous = await read(services, instance, client.id)
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
    ...(await secretsOf(services, instance, client, value)),
    expiresAt,
    async drop() {
      await store.write([{ op: 'delete', key, ifRevision }])
    },
  }
}

/** Uses the code up: of N parallel right answers exactly one gets `true`; the fifth wrong one ends it. */
export async function redeemFlagshipCode(
  services: FlagshipCodeServices,
  instance: Instance,
  client: Client,
  { token, code }: { readonly token: string; readonly code: string },
): Promise<boolean> {
  const record = await read(services, instance, client.id)
  if (record === undefined || !record.value.isOpen) return false
  const right = await secretsOf(services, instance, client, record.value)
  if (!equalSecrets(right.token, token)) return false
  // Counted before it is compared: parallel guesses cannot pass together.
  const tries = secretKey(instance.id, 'flagship-tries', token)
  const { count } = await services.store.hit(tries, TRIES_WINDOW_MS)
  if (count > MAX_TRIES) return false
  const isRight = equalSecrets(right.code, code)
  if (!isRight && count < MAX_TRIES) return false
  const written = await close(services, instance, client.id, record)
  return isRight && written
}

/** Drops what a client whose record is gone was waiting for. */
export async function dropFlagshipCode(
  { store }: Pick<FlagshipCodeServices, 'store'>,
  instance: Instance,
  clientId: ClientId,
): Promise<void> {
  await store.write([{ op: 'delete', key: codeKey(instance, clientId) }])
}

function read(
  { store }: FlagshipCodeServices,
  instance: Instance,
  clientId: ClientId,
): Promise<StoredRecord<CodeRecord> | undefined> {
  return store.get<CodeRecord>(codeKey(instance, clientId))
}

async function close(
  { store }: FlagshipCodeServices,
  instance: Instance,
  id: ClientId,
  { value, revision: ifRevision }: StoredRecord<CodeRecord>,
): Promise<boolean> {
  const expiresAt = value.createdAt + FLAGSHIP_CODE_MS
  const closed = { ...value, isOpen: false }
  const key = codeKey(instance, id)
  const { written } = await store.write([{ op: 'put', key, value: closed, expiresAt, ifRevision }])
  return written
}

/** Of this client, with the addresses it has now: what is certified is the app behind them (D21). */
async function secretsOf(
  { keyring }: FlagshipCodeServices,
  instance: Instance,
  client: Client,
  { salt, createdAt }: CodeRecord,
): Promise<{ readonly token: string; readonly code: string }> {
  const { messageKey } = await keyring.current(instance, 'session')
  const addresses = JSON.stringify(client.metadata.redirect_uris)
  const info = createHash('sha256').update(`flagship-code:${client.id}:${addresses}`).digest()
  const body = Buffer.concat([timeBytes(createdAt), Buffer.from(salt, 'base64url')])
  const key = new Uint8Array(hkdfSync('sha256', messageKey, body, info, 32))
  const tag = createHmac('sha256', key).update('token').digest()
  const number = createHmac('sha256', key).update('code').digest().readUIntBE(0, 6) % 1_000_000
  return {
    token: Buffer.concat([body, tag]).toString('base64url'),
    code: String(number).padStart(6, '0'),
  }
}

function timeBytes(milliseconds: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(milliseconds))
  return bytes
}

function codeKey(instance: Instance, clientId: ClientId): Key {
  return recordKey(instance.id, 'flagship-code', clientId)
}
