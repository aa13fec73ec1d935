import type { OutgoingHttpHeaders } from 'node:http'
import { relyingParty } from '@svc/testkit'
import { exchange, keptConnections } from './exchange.ts'
import type { HostFleet } from './host-fleet.ts'
import { ISSUER, letIn, makeOwner } from './owner.ts'
import { pace } from './pace.ts'

/** A client of the owner, with its tokens. */
export interface LoadClient {
  readonly id: string
  readonly secret: string
  readonly refreshToken: string
  /** The newest one. */
  token: string
}

export interface LoadFailure {
  readonly what: string
  /** A status, or the code of a socket's error. */
  readonly result: number | string
  readonly body: string
}

export interface SteadyLoad {
  readonly requests: number
  /** Calls with a token that some process had just issued. */
  readonly verifications: number
  readonly failures: readonly LoadFailure[]
  /** When each request was sent, on the clock of `performance`, and how long it took, milliseconds. */
  readonly waits: readonly (readonly [sentAt: number, tookMs: number])[]
  /** Ends when every request that was sent is answered. */
  stop(): Promise<void>
}

/** What the clients may do. */
export const TYPE = 'io.svc.notes'

/** Makes the owner, and clients that the owner let in. */
export async function connectClients(
  fleet: Pick<HostFleet, 'adminCall'>,
  port: number,
  count: number,
): Promise<readonly LoadClient[]> {
  const { browser } = await makeOwner(fleet, port)
  const clients: LoadClient[] = []
  for (let at = 0; at < count; at += 1) {
    const party = relyingParty({ issuer: ISSUER, port })
    await party.register()
    const issued = await letIn(browser, party, { scope: TYPE })
    clients.push({
      id: party.client.client_id,
      secret: String(party.client.client_secret),
      refreshToken: String(issued.refresh_token),
      token: issued.access_token,
    })
  }
  return clients
}

/** Sends `perSecond` requests, half of them POST, whatever becomes of those before: refreshes, documents, reads. */
export function startLoad(
  port: number,
  clients: readonly LoadClient[],
  perSecond: number,
  random: () => number,
): SteadyLoad {
  const agent = keptConnections()
  const failures: LoadFailure[] = []
  const waits: [number, number][] = []
  let requests = 0
  let verifications = 0
  /** Path of the document that was written last: whatever process wrote it, all have it. */
  let newest = ''

  async function call(
    method: string,
    path: string,
    expected: number,
    { headers = {}, body = '' }: { headers?: OutgoingHttpHeaders; body?: string },
  ): Promise<string | undefined> {
    requests += 1
    const sentAt = performance.now()
    const { result, text } = await exchange({ agent, port, method, path, headers, body })
    waits.push([sentAt, performance.now() - sentAt])
    if (result === expected) return text
    failures.push({ what: `${method} ${path}`, result, body: text.slice(0, 200) })
    return undefined
  }

  async function refresh(client: LoadClient): Promise<void> {
    const text = await call('POST', '/auth/access_token', 200, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: client.id,
        client_secret: client.secret,
        refresh_token: client.refreshToken,
      }).toString(),
    })
    if (text === undefined) return
    client.token = (JSON.parse(text) as { readonly access_token: string }).access_token // RFC 6749 5.1
  }

  async function write({ token }: LoadClient): Promise<void> {
    const text = await call('POST', `/data/${TYPE}`, 201, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'a note' }),
    })
    if (text !== undefined) newest = `/${(JSON.parse(text) as { readonly _id: string })._id}` // as the route answers
  }

  async function read({ token }: LoadClient): Promise<void> {
    verifications += 1
    const headers = { authorization: `Bearer ${token}` }
    await call('GET', `/data/${TYPE}${newest}`, 200, { headers })
  }

  const running = pace(perSecond, (at) => {
    const client = clients[Math.floor(random() * clients.length)] ?? clients[0]
    if (client === undefined) return undefined
    // Every second one is a POST.
    return at % 2 === 0 ? read(client) : at % 4 === 1 ? refresh(client) : write(client)
  })
  return {
    get requests() {
      return requests
    },
    get verifications() {
      return verifications
    },
    failures,
    waits,
    async stop() {
      await running.stop()
      agent.destroy()
    },
  }
}
