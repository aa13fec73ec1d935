import { readFileSync } from 'node:fs'
import path from 'node:path'
import { browserClient, relyingParty } from '@svc/testkit'
import type { HostProcess } from '../../test/support/host-process.ts'

const DOMAIN = 'alice.localhost'
const TYPE = 'io.svc.contacts'

/** A session of the owner, and a token of the settings app in it. */
export interface Login {
  readonly cookie: string
  readonly token: string
}

/** An owner and a client of theirs, against a host that may not be able to write. */
export interface DiskOwner {
  /** Status, and whether it says when to come back. */
  put(id: string, bytes: number): Promise<{ readonly status: number; readonly code: string }>
  /** Length of the text of a document; undefined: there is none. */
  read(id: string): Promise<number | undefined>
  remove(id: string): Promise<number>
  /** Offers one of its documents to another owner. @returns status */
  offer(id: string, to: string): Promise<number>
  openLogin(): Promise<Login>
  /** @returns status */
  logOut(login: Login): Promise<number>
  isLoggedIn(login: Login): Promise<boolean>
  ready(): Promise<number>
  /** The same owner and token at another process of the same data. */
  at(host: HostProcess): DiskOwner
}

/** Connects a client to an instance of a host, the demo's unless told otherwise. */
export async function connectOwner(host: HostProcess, domain: string = DOMAIN): Promise<DiskOwner> {
  const issuer = `http://${domain}`
  const party = relyingParty({ issuer, port: host.port })
  await party.register()
  const pending = await party.authorize({ scope: TYPE })
  const { cookie } = await openApp(host, domain)
  const browser = withCookie(host, domain, cookie)
  const page = await browser.get(pending.url)
  const answer = await browser.submit(page.page().form('/auth/authorize'))
  const tokens = await party.exchange(answer.location ?? '', pending)
  return ownerOf(host, domain, tokens.access_token)
}

function ownerOf(host: HostProcess, domain: string, token: string): DiskOwner {
  const browser = browserClient({ base: `http://${domain}`, port: host.port })
  const call = (method: string, target: string, json?: unknown) =>
    browser.request(method, target, {
      credentials: false,
      headers: {
        authorization: `Bearer ${token}`,
        ...(json !== undefined && { 'content-type': 'application/json' }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    })

  return {
    async put(id, bytes) {
      const answer = await call('PUT', `/data/${TYPE}/${id}`, { text: 'x'.repeat(bytes) })
      const { code = '' } = answer.status < 400 ? {} : answer.json<{ code?: string }>()
      return { status: answer.status, code }
    },
    async read(id) {
      const answer = await call('GET', `/data/${TYPE}/${id}`)
      if (answer.status === 404) return undefined
      if (answer.status !== 200) throw new Error(`a document is read with ${answer.status}`)
      return answer.json<{ text: string }>().text.length
    },
    remove: async (id) => (await call('DELETE', `/data/${TYPE}/${id}`)).status,
    async offer(id, to) {
      const body = { to, type: TYPE, ids: [id], description: 'Have a look' }
      return (await call('POST', '/sharings', body)).status
    },
    async logOut({ cookie, token: appToken }) {
      const client = withCookie(host, domain, cookie)
      const answer = await client.request('DELETE', '/auth/login', {
        from: `http://settings.${domain}`,
        headers: { authorization: `Bearer ${appToken}` },
      })
      return answer.status
    },
    openLogin: () => openApp(host, domain),
    isLoggedIn: async ({ cookie }) =>
      (await withCookie(host, domain, cookie).get('/settings/sessions/current')).status === 200,
    ready: async () => (await browser.get('/health/ready')).status,
    at: (other) => ownerOf(other, domain, token),
  }
}

function withCookie(host: HostProcess, domain: string, cookie: string) {
  const client = browserClient({ base: `http://${domain}`, port: host.port })
  client.plantCookie(`${cookie}; Path=/; Domain=${domain}`, `http://${domain}`)
  return client
}

/** As the operator gets them. */
async function openApp({ adminPort, dataDir }: HostProcess, domain: string): Promise<Login> {
  const adminToken = readFileSync(path.join(dataDir, 'admin-token'), 'utf8').trim()
  const answer = await fetch(`http://127.0.0.1:${adminPort}/instances/${domain}/app-tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ slug: 'settings' }),
  })
  if (answer.status !== 201) throw new Error(`app-tokens: ${answer.status}`)
  return (await answer.json()) as Login // As the admin API answers.
}
