import { type Instance, type InstanceId, randomId } from '@svc/platform'
import {
  describeError,
  type IndexEntry,
  type IndexKey,
  indexKey,
  type Key,
  secretKey,
} from '@svc/store'
import type { ConnectorsServices } from '../services.ts'
import { shardTag } from './shards.ts'

type FlowServices = Pick<ConnectorsServices, 'clock' | 'lifetimes' | 'log' | 'sealer' | 'store'>

/** What is remembered between `start` and the provider's answer; sealed while it is stored. @see connectors.md 4.3 */
export interface PendingFlow {
  readonly v: 1
  readonly instance: InstanceId
  /** Without context prefix. */
  readonly accountType: string
  readonly kind: 'create' | 'reconnect'
  /** Of a reconnect. */
  readonly accountId?: string
  /** Of the app; given back to it untouched. */
  readonly clientState: string
  /** Of the app, for types that send it to the token endpoint. */
  readonly nonce: string
  /** The app to come back to. */
  readonly slug: string
  /** As asked for, space-separated. */
  readonly scope: string
  /** Byte for byte what the provider was told. */
  readonly redirectUri: string
  readonly codeVerifier?: string
  /** Ours, when an id token is expected. */
  readonly oidcNonce?: string
  readonly issuer?: string
  /** Whether the provider says that its answers name it. */
  readonly sendsIssuer?: true
  /** SHA-256 of the browser's flow cookie; absent: any browser may bring the answer. */
  readonly binderHash?: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** Query of a provider's redirect, each name once (D3). */
export type CallbackQuery = ReadonlyMap<string, string>

/** What a ticket stands for: a flow and the provider's answer to it. */
export interface Ticketed {
  readonly flow: PendingFlow
  readonly query: CallbackQuery
}

interface StoredTicket {
  readonly flow: PendingFlow
  readonly query: readonly (readonly [name: string, value: string])[]
}

/** Live states of an instance. @see connectors.md 11 */
const MAX_STATES = 200
/** A write takes 128 changes. */
const BATCH = 100
const TOKEN = /^[A-Za-z0-9_-]{43}$/
const TOKEN_BYTES = 32

/** 256 random bits, 43 characters. @see connectors.md 4.3 */
export function createToken(): string {
  return randomId(TOKEN_BYTES)
}

export function isToken(text: string): boolean {
  return TOKEN.test(text)
}

/**
 * Remembers a flow that waits for a provider's answer. The record stands with its instance, so that those of an instance
 * can be counted and dropped; a place that says which instance that is stands under the hash alone, since the callback
 * host knows nothing but the state (decision 0148).
 * @param state - what the provider is given: a token of 256 random bits
 */
export async function putState(
  services: FlowServices,
  state: string,
  flow: PendingFlow,
): Promise<void> {
  const { clock, lifetimes, store } = services
  const { instance } = flow
  const expiresAt = clock.now() + lifetimes.state
  await store.write([{ op: 'put', key: placeKey(state), value: instance, expiresAt }])
  const sort = String(flow.createdAt).padStart(15, '0')
  const index = { index: liveStates(instance), sort }
  const key = secretKey(instance, 'account-state', state)
  await putValue(services, instance, key, flow, expiresAt, index)
  await dropStates(services, instance, MAX_STATES)
}

/**
 * Uses up the state of a flow that belongs to the request: of N parallel callers exactly one gets it.
 * @param belongs - a state that came to the wrong place or browser stays for the right one
 */
export async function takeState(
  services: FlowServices,
  state: string,
  belongs: (flow: PendingFlow) => boolean,
): Promise<PendingFlow | undefined> {
  if (!isToken(state)) return undefined
  const place = await services.store.get<InstanceId>(placeKey(state))
  if (place === undefined) return undefined
  return takeValue<PendingFlow>(services, place.value, 'account-state', state, belongs)
}

/** Drops the flows of an instance that still wait. */
export function forgetStates(
  services: Pick<FlowServices, 'store'>,
  { id }: Pick<Instance, 'id'>,
): Promise<void> {
  return dropStates(services, id, 0)
}

/**
 * A ticket carries an answer from the callback host to the instance, where the browser can show that it is the right
 * one.
 * @returns 43 characters, good once and for a minute
 * @see connectors.md 4.4
 */
export async function createTicket(
  services: FlowServices,
  { flow, query }: Ticketed,
): Promise<string> {
  const { clock, lifetimes } = services
  const ticket = createToken()
  const key = secretKey(flow.instance, 'account-ticket', ticket)
  const stored: StoredTicket = { flow, query: [...query] }
  await putValue(services, flow.instance, key, stored, clock.now() + lifetimes.ticket)
  return ticket
}

/** Uses up the ticket of a flow that belongs to the request. @see takeState */
export async function takeTicket(
  services: FlowServices,
  instance: InstanceId,
  ticket: string,
  belongs: (flow: PendingFlow) => boolean,
): Promise<Ticketed | undefined> {
  const isRight = ({ flow }: StoredTicket): boolean => belongs(flow)
  const stored = await takeValue(services, instance, 'account-ticket', ticket, isRight)
  return stored && { flow: stored.flow, query: new Map(stored.query) }
}

async function putValue(
  { store, sealer }: FlowServices,
  instance: InstanceId,
  key: Key,
  value: object,
  expiresAt: number,
  index?: IndexEntry,
): Promise<void> {
  // The key says whose it is, what it is, and of which token.
  const sealed = sealer.derive(instance, 'svc/account/v1').seal(JSON.stringify(value), key)
  const indexes = index && { indexes: [index] }
  await store.write([{ op: 'put', key, value: sealed, expiresAt, ...indexes }])
}

/** The value's type is what this very code stored: it was sealed, so nobody else wrote it. */
async function takeValue<Value extends object>(
  { store, sealer, log }: FlowServices,
  instance: InstanceId,
  kind: 'account-state' | 'account-ticket',
  token: string,
  isRight: (value: Value) => boolean,
): Promise<Value | undefined> {
  if (!isToken(token)) return undefined
  const key = secretKey(instance, kind, token)
  const record = await store.get<string>(key)
  if (record === undefined) return undefined
  let value: Value
  try {
    const opened = sealer.derive(instance, 'svc/account/v1').open(record.value, record.key)
    value = JSON.parse(opened.toString()) as Value
  } catch (error) {
    log.error('account.value_unreadable', { kind, cause: describeError(error) })
    return undefined
  }
  if (!isRight(value)) return undefined
  return (await store.take(key)) === undefined ? undefined : value
}

/** Drops all but the newest. */
async function dropStates(
  { store }: Pick<FlowServices, 'store'>,
  instance: InstanceId,
  kept: number,
): Promise<void> {
  const keys: Key[] = []
  let seen = 0
  let cursor: string | undefined
  do {
    const page = await store.list(liveStates(instance), {
      order: 'desc',
      ...(cursor !== undefined && { cursor }),
    })
    for (const { key } of page.records) {
      seen += 1
      if (seen > kept) keys.push(key)
    }
    cursor = page.cursor
  } while (cursor !== undefined)
  for (let at = 0; at < keys.length; at += BATCH) {
    await store.write(keys.slice(at, at + BATCH).map((key) => ({ op: 'delete', key })))
  }
}

function liveStates(instance: InstanceId): IndexKey {
  return indexKey(instance, 'account-states')
}

function placeKey(state: string): Key {
  return secretKey(shardTag(state), 'account-state-place', state)
}
