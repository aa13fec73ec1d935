import { deriveLoginValue } from '@svc/auth-ui'
import type { Instance } from '@svc/platform'
import { type Json, recordKey } from '@svc/store'
import {
  type BrowserClient,
  type BrowserResponse,
  browserClient,
  type RelyingParty,
  relyingParty,
} from '@svc/testkit'
import { createInstance } from '../../src/create-instance.ts'
import type { RunningHost } from '../../src/host.ts'

/** What an owner's client has. */
export interface Connected {
  readonly party: RelyingParty
  readonly clientId: string
  readonly clientSecret: string
  readonly token: string
  readonly refreshToken: string
}

export function browserAt({ port }: RunningHost, { origin }: Instance): BrowserClient {
  return browserClient({ base: origin, port })
}

/** A new instance with an owner who chose a passphrase: by a hash that nobody computes. */
export async function onboard(
  { app }: RunningHost,
  fields: Parameters<typeof createInstance>[1],
): Promise<Instance> {
  const { instance } = await createInstance(app, fields)
  await app.ui.owners.importPassphrase(instance, {
    over: 'login-value',
    hash: `scrypt$32768$8$1$${'0'.repeat(32)}$${'0'.repeat(64)}`,
    salt: 'me@alice',
    iterations: 650_000,
  })
  return instance
}

/** Gives a browser a session that no passphrase has opened. */
export async function plantSession(
  { app }: RunningHost,
  instance: Instance,
  browser: BrowserClient,
): Promise<void> {
  const { cookie } = await app.ui.owners.createSession(instance)
  const name = instance.domain.replace(/:\d+$/, '')
  const shared = instance.subdomains === 'nested' ? `; Domain=${name}` : ''
  const secure = instance.isHttps ? '; Secure' : ''
  browser.plantCookie(`${cookie.name}=${cookie.value}; Path=/${shared}${secure}`, instance.origin)
}

/** Registers a client, which the owner who is logged in in this browser allows what it asks for. */
export async function connectClient(
  { port }: RunningHost,
  { origin }: Instance,
  owner: BrowserClient,
  scope: string,
  metadata?: Readonly<Record<string, unknown>>,
): Promise<Connected> {
  const party = relyingParty({ issuer: origin, port })
  const client = await party.register(metadata)
  const pending = await party.authorize({ scope })
  const answer = await owner.submit((await owner.get(pending.url)).page().form('/auth/authorize'))
  const tokens = await party.exchange(answer.location ?? '', pending)
  return {
    party,
    clientId: String(client.client_id),
    clientSecret: String(client['client_secret']),
    token: tokens.access_token,
    refreshToken: tokens.refresh_token ?? '',
  }
}

type Credentials = Pick<Connected, 'clientId' | 'clientSecret' | 'refreshToken'>

/** @returns the next refresh token. @throws Error when there is none */
export async function refreshAt(
  host: RunningHost,
  instance: Instance,
  { clientId, clientSecret, refreshToken }: Credentials,
): Promise<string> {
  const refreshed = await browserAt(host, instance).post('/auth/access_token', {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: clientId,
    client_secret: clientSecret,
  })
  if (refreshed.status !== 200) throw new Error(`refreshing: ${refreshed.status} ${refreshed.text}`)
  return refreshed.json<{ refresh_token?: string }>().refresh_token ?? refreshToken
}

/** Gives a passphrase on the page for it. */
export async function givePassphrase(
  host: RunningHost,
  instance: Instance,
  passphrase: string,
  browser: BrowserClient = browserAt(host, instance),
): Promise<BrowserResponse> {
  const form = (await browser.get('/auth/login')).page().form('/auth/login')
  const record = await host.store.get<{ [name: string]: Json; salt: string; iterations: number }>(
    recordKey(instance.id, 'owner', 'owner'),
  )
  if (record === undefined) throw new Error('there is no owner')
  const { salt, iterations } = record.value
  return browser.submit(form, { passphrase: await deriveLoginValue(passphrase, salt, iterations) })
}

export const TO_COME = 'Water the plants'

/** Posts a notification that is still to come. */
export async function postToCome({ app }: RunningHost, instance: Instance, at: number) {
  await app.notify.post(instance, {
    originator: 'cli',
    category: 'operator',
    declaration: {},
    title: TO_COME,
    message: 'They are dry.',
    preferredChannels: ['mail'],
    at: new Date(at).toISOString(),
  })
}

/** @throws Error when it is not there */
export async function findToCome({ app }: RunningHost, instance: Instance, wanted = TO_COME) {
  const { notifications } = await app.notify.operator.list(instance, {})
  if (!notifications.some(({ title }) => title === wanted)) throw new Error('nothing is to come')
}
