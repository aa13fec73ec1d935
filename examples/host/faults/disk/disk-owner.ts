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
  openLogin(): Promise<Login>
  /** @returns status */
  logOut(login: Login): Promise<number>
  isLoggedIn(login: Login): Promise<boolean>
  ready(): Promise<number>
  /** The same owner and token at another process of the same data. */
  at(host: HostProcess): DiskOwner
}

/** Connects a client to the demo instance of a host. */
export async function connectOwner(host: HostProcess): Promise<DiskOwner> {
  const issuer = `http://${DOMAIN}`
  const party = relyingParty({ issuer, port: host.port })
  await party.register()
  const pending = await party.authorize({ scope: TYPE })
  const { cookie } = await openApp(host)
  const browser = withCookie(host, cookie)
  const page = await browser.get(pending.url)
  const answer = await browser.submit(page.page().form('/auth/authorize'))
  const tokens = await party.exchange(answer.location ?? '', pending)
  return ownerOf(host, tokens.access_token)
}

function ownerOf(host: HostProcess, token: string): DiskOwner {
  const browser = browserClient({ base: `http://${DOMAIN}`, port: host.port })
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
    async logOut({ cookie, token: appToken }) {
      const client = withCookie(host, cookie)
      const answer = await client.request('DELETE', '/auth/login', {
        from: `http://settings.${DOMAIN}`,
        headers: { authorization: `Bearer ${appToken}` },
      })
      return answer.status
    },
    openLogin: () => openApp(host),
    isLoggedIn: async ({ cookie }) =>
      (await withCookie(host, cookie).get('/settings/sessions/current')).status === 200,
    ready: async () => (await browser.get('/health/ready')).status,
    at: (other) => ownerOf(other, token),
  }
}

function withCookie(host: HostProcess, cookie: string) {
  const client = browserClient({ base: `http://${DOMAIN}`, port: host.port })
  client.plantCookie(`${cookie}; Path=/; Domain=${DOMAIN}`, `http://${DOMAIN}`)
  return client
}

/** As the operator gets them. */
async function openApp({ adminPort, dataDir }: HostProcess): Promise<Login> {
  const adminToken = readFileSync(path.join(dataDir, 'admin-token'), 'utf8').trim()
  const answer = await fetch(`http://127.0.0.1:${adminPort}/instances/${DOMAIN}/app-tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ slug: 'settings' }),
  })
  if (answer.status !== 201) throw new Error(`app-tokens: ${answer.status}`)
  return (await answer.json()) as Login // As the admin API answers.
}
