import { fakeClock, loopbackFetch } from '@svc/testkit'
import { expect } from 'chai'
import { suiteHost } from '../support/for-test.ts'

/** @see operation.md 2.3 */
describe('GET /health/probe', () => {
  const clock = fakeClock()
  const host = suiteHost({ SVC_TRUST_PROXY: '1' }, 'alice.example.com', clock)

  async function makeNonce(): Promise<string> {
    const answer = await host.admin('POST', '/probes')
    expect(answer.status).to.equal(201)
    return ((await answer.json()) as { nonce: string }).nonce
  }

  const get = (url: string, headers: Record<string, string> = {}): Promise<Response> =>
    loopbackFetch({ port: host.host.port })(url, { headers })

  it('says how a request arrived, on every host', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' }
    const seen = { scheme: 'https', client_address: '203.0.113.9', hops: 1 }
    const hosts: [string, object][] = [
      ['alice.example.com', { instance: 'alice.example.com', app: null }],
      ['settings.alice.example.com', { instance: 'alice.example.com', app: 'settings' }],
      ['nobody.example.org', { instance: null }],
    ]
    for (const [name, expected] of hosts) {
      const nonce = await makeNonce()
      expect(nonce).to.match(/^[\w-]{43}$/)
      const answer = await get(`http://${name}/health/probe?nonce=${nonce}`, headers)
      expect(answer.status, name).to.equal(200)
      expect(answer.headers.get('cache-control')).to.equal('no-store')
      expect(await answer.json()).to.include({ ...expected, ...seen })
      expect(JSON.stringify(host.log)).to.not.include(nonce)
    }
    const bare = await get(`http://alice.example.com/health/probe?nonce=${await makeNonce()}`)
    expect(await bare.json()).to.include({ scheme: 'http', client_address: '127.0.0.1', hops: 0 })
  })

  it('answers a nonce once: one of many at the same time', async () => {
    const url = `http://alice.example.com/health/probe?nonce=${await makeNonce()}`
    const answers = await Promise.all(Array.from({ length: 10 }, () => get(url)))
    const statuses = answers.map(({ status }) => status).toSorted()
    expect(statuses).to.deep.equal([200, ...Array.from({ length: 9 }, () => 404)])
  })

  it('is 404 after a minute, without a nonce, and with one that nobody made', async () => {
    const nonce = await makeNonce()
    clock.advance(60_001)
    for (const query of [`?nonce=${nonce}`, '', `?nonce=${'a'.repeat(43)}`, '?nonce=x&nonce=y']) {
      const answer = await get(`http://alice.example.com/health/probe${query}`)
      expect(answer.status, query).to.equal(404)
      expect(answer.headers.get('cache-control')).to.equal('no-store')
    }
  })
})
