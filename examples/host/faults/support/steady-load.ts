import { Agent, type OutgoingHttpHeaders, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { browserClient, relyingParty } from '@svc/testkit'
import type { HostFleet } from './host-fleet.ts'

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

export const DOMAIN = 'alice.example.com'
/** What the clients may do. */
export const TYPE = 'io.svc.notes'

/** Makes the owner, and clients that the owner let in. */
export async function connectClients(
  fleet: Pick<HostFleet, 'adminCall'>,
  port: number,
  count: number,
): Promise<readonly LoadClient[]> {
  await fleet.adminCall('POST', '/instances', {
    domain: DOMAIN,
    email: 'alice@mail.example',
    passphrase: 'correct horse battery staple',
  })
  const tokens = await fleet.adminCall('POST', `/instances/${DOMAIN}/app-tokens`, {
    slug: 'settings',
  })
  const { cookie } = tokens as { readonly cookie: string } // as the route answers
  const issuer = `https://${DOMAIN}`
  const owner = browserClient({ base: issuer, port })
  owner.plantCookie(`${cookie}; Path=/; Domain=${DOMAIN}; Secure`, issuer)
  const clients: LoadClient[] = []
  for (let at = 0; at < count; at += 1) {
    const party = relyingParty({ issuer, port })
    await party.register()
    const pending = await party.authorize({ scope: TYPE })
    const page = await owner.get(pending.url)
    const answer = await owner.submit(page.page().form('/auth/authorize'))
    const issued = await party.exchange(answer.location ?? '', pending)
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
  // An idle connection is given up after 4 s, as the shipped proxies do: the server ends it after 8 s, and a request
  // that is sent at that moment would be lost.
  const agent = new Agent({ keepAlive: true, timeout: 4000 })
  const failures: LoadFailure[] = []
  const waits: [number, number][] = []
  const open = new Set<Promise<void>>()
  let requests = 0
  let verifications = 0
  let isOver = false
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

  function send(at: number): void {
    const client = clients[Math.floor(random() * clients.length)] ?? clients[0]
    if (client === undefined) return
    // Every second one is a POST.
    const job = at % 2 === 0 ? read(client) : at % 4 === 1 ? refresh(client) : write(client)
    open.add(job)
    void job.finally(() => open.delete(job))
  }

  async function run(): Promise<void> {
    const startedAt = performance.now()
    for (let at = 0; !isOver; at += 1) {
      const dueMs = startedAt + (at * 1000) / perSecond - performance.now()
      if (dueMs > 0) await pause(dueMs)
      send(at)
    }
    await Promise.all(open)
    agent.destroy()
  }
  const running = run()
  return {
    get requests() {
      return requests
    },
    get verifications() {
      return verifications
    },
    failures,
    waits,
    stop() {
      isOver = true
      return running
    },
  }
}

interface Exchange {
  readonly agent: Agent
  readonly port: number
  readonly method: string
  readonly path: string
  readonly headers: OutgoingHttpHeaders
  readonly body: string
}

function exchange(what: Exchange): Promise<{ result: number | string; text: string }> {
  const { agent, port, method, path, body } = what
  return new Promise((resolve) => {
    const headers = {
      host: DOMAIN,
      ...(body !== '' && { 'content-length': Buffer.byteLength(body) }),
      ...what.headers,
    }
    const options = { host: '127.0.0.1', port, agent, method, path, headers, timeout: 30_000 }
    const sent = request(options, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      answer.once('end', () => resolve({ result: answer.statusCode ?? 0, text }))
      answer.once('error', (error) => resolve({ result: error.message, text }))
    })
    sent.once('timeout', () => sent.destroy(new Error('no answer in 30 s')))
    sent.once('error', (error) => resolve({ result: error.message, text: '' }))
    sent.end(body)
  })
}
