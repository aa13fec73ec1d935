import { sqliteStore } from '@svc/store/sqlite'
import type { Store } from '@svc/store'
import { expect } from 'chai'
import { createOAuth } from '../../src/index.ts'
import { type FetchHandler, toFetch } from '../../src/fetch.ts'
import type { OAuth } from '../../src/oauth.ts'
import { METADATA } from '../oauth-server.ts'
import { fakePages } from './fake-pages.ts'

const BASE = 'https://alice.example.com'
const address = '192.0.2.7'
const body = JSON.stringify(METADATA)

describe('toFetch', () => {
  let store: Store
  let oauth: OAuth
  let answer: FetchHandler
  let addresses: unknown[]

  async function start(trustProxy: number): Promise<void> {
    addresses = []
    store = sqliteStore({ file: ':memory:' })
    oauth = createOAuth({
      trustProxy,
      store,
      keys: [{ kid: 'test', key: Buffer.alloc(32, 7) }],
      log: {
        info(event, fields) {
          if (event === 'client.registered') addresses.push(fields?.['address'])
        },
        warn() {},
        error() {},
      },
    })
    const pages = fakePages()
    oauth.useSessions(pages.sessions)
    answer = toFetch(oauth.handler({ routes: [oauth.routes({ pages })] }))
    await oauth.instances.create({ domain: 'alice.example.com' })
  }
  async function stop(): Promise<void> {
    await oauth.close()
    await store.close()
  }

  beforeEach(() => start(0))
  afterEach(stop)

  it('answers requests of the web, with a body and without one', async () => {
    const metadata = await answer(new Request(`${BASE}/.well-known/oauth-authorization-server`), {
      address,
    })
    expect([metadata.status, ((await metadata.json()) as { issuer: string }).issuer]).to.deep.equal(
      [200, BASE],
    )
    // What is about a connection is left to the caller, who has one.
    expect([...metadata.headers.keys()]).to.include('content-type')
    for (const name of ['connection', 'keep-alive', 'transfer-encoding'])
      expect(metadata.headers.has(name), name).to.equal(false)
    const headers = { 'content-type': 'application/json' }
    const request = new Request(`${BASE}/auth/register`, { method: 'POST', headers, body })
    const registered = await answer(request, { address })
    const client = (await registered.json()) as { client_name: string }
    expect([registered.status, client.client_name]).to.deep.equal([201, 'Client'])
    const head = await answer(
      new Request(`${BASE}/.well-known/oauth-authorization-server`, { method: 'HEAD' }),
      { address },
    )
    expect([head.status, await head.text()]).to.deep.equal([200, ''])
    expect((await answer(new Request(`${BASE}/recipes`), { address })).status).to.equal(404)
  })

  it('names the host of a header before that of the address', async () => {
    const request = new Request('http://127.0.0.1:3000/.well-known/oauth-authorization-server', {
      headers: { host: 'alice.example.com' },
    })
    expect((await answer(request, { address })).status).to.equal(200)
    const unnamed = new Request('http://127.0.0.1:3000/.well-known/oauth-authorization-server')
    expect((await answer(unnamed, { address })).status).to.equal(404)
  })

  it('insists on an address', async () => {
    for (const wrong of ['', 'unknown', undefined as never]) {
      let thrown: unknown
      try {
        await answer(new Request(BASE), { address: wrong })
      } catch (error) {
        thrown = error
      }
      expect(thrown).to.be.instanceOf(TypeError)
    }
  })

  it('tells the server that address', async () => {
    const headers = { 'content-type': 'application/json' }
    for (const from of [address, '2001:db8::7']) {
      const request = new Request(`${BASE}/auth/register`, { method: 'POST', headers, body })
      await answer(request, { address: from })
    }
    expect(addresses).to.deep.equal([address, '2001:db8:0:0::/64'])
  })
  it('lets no header say another one, but what a trusted proxy added', async () => {
    const headers = {
      'content-type': 'application/json',
      'x-forwarded-for': '198.51.100.1, 198.51.100.2',
      'x-forwarded-proto': 'https',
    }
    const register = (): Promise<Response> =>
      answer(new Request(`${BASE}/auth/register`, { method: 'POST', headers, body }), { address })
    await register()
    expect(addresses).to.deep.equal([address])
    await stop()
    await start(1)
    await register()
    expect(addresses).to.deep.equal(['198.51.100.2'])
  })
})
