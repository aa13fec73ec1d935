import { randomBytes } from 'node:crypto'
import {
  type BrowserClient,
  type BrowserResponse,
  browserClient,
  type FormFields,
} from '@svc/testkit'
import { AdminRefusal, type KillableHost } from '../support/killable-host.ts'
import { type Ledger, Unanswered } from '../support/ledger.ts'

/** What a story plays in. */
export interface World {
  readonly host: KillableHost
  readonly ledger: Ledger
  /** The owner whom stories share that do not change how the owner logs in. */
  readonly domain: string
  /** Where the provider of accounts is led to. */
  readonly providerOrigin: string
  random(): number
}

/** Makes changes one after the other, until the server is killed. */
export type Story = (world: World) => Promise<void>

export interface Ask {
  readonly method?: string
  readonly token?: string
  readonly json?: unknown
  readonly form?: FormFields
  readonly headers?: Readonly<Record<string, string>>
  /** Origin of the page that asks; the instance's own by default. */
  readonly from?: string
  /** A navigation, answered with a page. */
  readonly isPage?: true
}

/** A browser that knows nothing yet. */
export function visitorOf({ host }: World, domain: string): BrowserClient {
  return browserClient({ base: `https://${domain}`, port: host.port })
}

/** @throws Unanswered when no answer comes, or one that says that the store is away */
export async function ask(
  browser: BrowserClient,
  path: string,
  { method, token, json, form, headers = {}, from, isPage }: Ask = {},
): Promise<BrowserResponse> {
  const text = json === undefined ? undefined : JSON.stringify(json)
  const own = {
    accept: isPage === true ? 'text/html' : 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(text !== undefined && {
      'content-type': 'application/json',
      // Node leaves it out of a DELETE.
      'content-length': String(Buffer.byteLength(text)),
    }),
    ...headers,
  }
  let answer: BrowserResponse
  try {
    const body = text !== undefined && { body: text }
    if (form !== undefined) answer = await browser.post(path, form, { headers: own })
    else if (isPage === true) answer = await browser.get(path, { headers: own })
    else
      answer = await browser.request(method ?? 'GET', path, {
        headers: own,
        ...body,
        ...(from !== undefined && { from }),
      })
  } catch (error) {
    throw new Unanswered('no answer came', { cause: error })
  }
  if (answer.status === 503) throw new Unanswered('the store is away')
  return answer
}

/** @throws Error when the status is another one */
export function need(answer: BrowserResponse, ...statuses: readonly number[]): BrowserResponse {
  if (statuses.includes(answer.status)) return answer
  throw new Error(`${answer.url}: ${answer.status} ${answer.text.slice(0, 300)}`)
}

/** Calls the admin listener; what it refuses is a fault. */
export async function askAdmin<Body>(
  { host }: World,
  method: string,
  path: string,
  body?: unknown,
): Promise<Body> {
  try {
    return (await host.admin(method, path, body)) as Body // as the route answers
  } catch (error) {
    if (error instanceof AdminRefusal && error.status !== 503) throw error
    throw new Unanswered('no answer came', { cause: error })
  }
}

/** An app's token counts with its session. */
export async function appOf(
  world: World,
  domain: string,
  slug: string,
): Promise<{ readonly browser: BrowserClient; readonly token: string }> {
  const given = await askAdmin<{ token: string; cookie: string }>(
    world,
    'POST',
    `/instances/${domain}/app-tokens`,
    { slug },
  )
  const browser = visitorOf(world, domain)
  browser.plantCookie(`${given.cookie}; Path=/; Domain=${domain}; Secure`)
  return { browser, token: given.token }
}

/** Token of a fresh client, which the operator let in. */
export async function clientToken(world: World, domain: string, scope: string): Promise<string> {
  const registered = need(
    await ask(visitorOf(world, domain), '/auth/register', {
      method: 'POST',
      json: {
        redirect_uris: ['https://client.example/callback'],
        client_name: 'A client',
        software_id: 'github.com/example/kill',
      },
    }),
    201,
  )
  const { client_id: id } = registered.json<{ client_id: string }>()
  const path = `/instances/${domain}/clients/${id}/tokens`
  const tokens = await askAdmin<Readonly<Record<string, string>>>(world, 'POST', path, { scope })
  return tokens['access_token'] ?? tokens['token'] ?? ''
}

export const randomName = (): string => randomBytes(6).toString('hex')
/** As a browser derives it; the server takes any. */
export const randomPassphrase = (): string => randomBytes(32).toString('base64')
