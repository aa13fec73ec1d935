import { type BrowserResponse, browserClient, fakeClock } from '@svc/testkit'
import { sqliteStore } from '@svc/store/sqlite'
import type { Store } from '@svc/store'
import { expect } from 'chai'
import { after, before, describe, it } from 'mocha'
import type { RouteRow } from '@svc/platform'
import { type ConsentServer, startConsentServer } from './consent-server.ts'

const OWN = 'https://drive.alice.example.com'
const OTHERS = [
  'https://alice.example.com',
  'https://drive.bob.example.com',
  'https://evil.example',
  'null',
]

/** D28: what a page of an own app, and of any other origin, is answered. */
function expected(row: RouteRow, origin: string): { origin?: string; credentials?: string } {
  if (row.path.startsWith('/.well-known/')) return { origin: '*' }
  if (row.path === '/auth/registerFromWebApp' && origin === OWN)
    return { origin: OWN, credentials: 'true' }
  return {}
}

function received({ headers }: BrowserResponse): { origin?: string; credentials?: string } {
  const origin = headers['access-control-allow-origin']
  const credentials = headers['access-control-allow-credentials']
  return { ...(origin && { origin }), ...(credentials && { credentials }) }
}

describe('CORS of the interface', () => {
  let store: Store
  let server: ConsentServer
  before(async () => {
    const clock = fakeClock()
    store = sqliteStore({ file: ':memory:', clock })
    server = await startConsentServer({ store, clock })
  })
  after(async () => {
    await server.close()
    await store.close()
  })

  const path = (row: RouteRow): string => row.path.replace(/:[A-Za-z]+/g, 'x')

  it('is that of D28 on every row', async () => {
    expect(server.oauth.rows.length).to.be.greaterThan(5)
    for (const row of server.oauth.rows) {
      for (const origin of [OWN, ...OTHERS]) {
        const what = `${row.method} ${row.path} from ${origin}`
        const answer = await server.call(path(row), { method: row.method, headers: { origin } })
        expect(received(answer), what).to.deep.equal(expected(row, origin))
      }
    }
  })

  it('answers preflights the same, and 405 where there is none', async () => {
    for (const row of server.oauth.rows) {
      for (const origin of [OWN, ...OTHERS]) {
        const what = `OPTIONS ${row.path} for ${row.method} from ${origin}`
        const headers = { origin, 'access-control-request-method': row.method }
        const answer = await server.call(path(row), { method: 'OPTIONS', headers })
        expect(received(answer), what).to.deep.equal(expected(row, origin))
        const isOpen = row.cors !== undefined && row.cors !== 'none'
        expect(answer.status, what).to.equal(isOpen ? 204 : 405)
      }
    }
  })

  it('sends nothing on app hosts', async () => {
    const browser = browserClient({ port: server.port, base: OWN })
    for (const row of server.oauth.rows) {
      for (const method of [row.method, 'OPTIONS']) {
        const headers = { origin: OWN, 'access-control-request-method': row.method }
        const answer = await browser.request(method, path(row), { headers })
        expect(answer.status, `${method} ${row.path}`).to.equal(404)
        expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-'))).to.be.empty
      }
    }
  })

  it('keeps every answer out of caches', async () => {
    for (const row of server.oauth.rows.filter(({ path }) => path.startsWith('/auth/'))) {
      for (const method of [row.method, 'OPTIONS', 'HEAD', 'TRACE']) {
        const answer = await server.call(path(row), { method })
        expect(answer.headers['cache-control'], `${method} ${row.path}`).to.equal('no-store')
        expect(answer.headers['x-content-type-options']).to.equal('nosniff')
      }
    }
  })
})
