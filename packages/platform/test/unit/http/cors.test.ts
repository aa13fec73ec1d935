import { expect } from 'chai'
import { describe, it } from 'mocha'
import type { CorsRule, RouteRow } from '../../../src/http/route.ts'
import { serveRows, testInstance } from './serve-rows.ts'

/** D28, as rows. */
function row(method: RouteRow['method'], path: string, cors: CorsRule | undefined): RouteRow {
  return {
    method,
    path,
    handler: (ctx) => {
      ctx.status = 204
    },
    auth: ['none'],
    statuses: [204],
    family: 'json',
    summary: '',
    source: '',
    ...(cors === undefined ? {} : { cors }),
  }
}

const ROWS = [
  row('GET', '/auth/login', undefined),
  row('POST', '/auth/login', 'none'),
  row('DELETE', '/auth/login', 'app-origins'),
  row('GET', '/data/:type', 'app-origins-or-any'),
  row('POST', '/data/:type', 'app-origins-or-any'),
  row('GET', '/.well-known/thing', 'open'),
]

const FLAT = testInstance({ subdomains: 'flat' })
const PORT = testInstance({
  domain: 'alice.localhost:8080',
  origin: 'http://alice.localhost:8080',
  isHttps: false,
})

const OWN = 'https://drive.alice.example.com'
const LOOK_ALIKES = [
  'null',
  'https://alice.example.com',
  'https://alice.example.com.evil.org',
  'https://drive.alice.example.com.evil.org',
  'https://evil-alice.example.com',
  'https://drivealice.example.com',
  'https://a.drive.alice.example.com',
  'https://drive.alice.example.com:444',
  'https://drive.alice.example.com.',
  'https://drive.alice.example.com/',
  'https://drive_x.alice.example.com',
  'https://-drive.alice.example.com',
  'https://DRIVE.alice.example.com',
  'http://drive.alice.example.com',
  'https://drive.alice.example.com, https://evil.org',
  'https://evil.org',
  'file://',
]

function allowed(headers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.startsWith('access-control-')),
  )
}

const EXPOSED = 'WWW-Authenticate, Retry-After, Location, Idempotency-Replayed'

describe('CORS', () => {
  describe('of a row without any', () => {
    for (const origin of [OWN, ...LOOK_ALIKES]) {
      it(`sends nothing to ${origin}`, async () => {
        const { send } = await serveRows(ROWS)
        expect(allowed((await send('/auth/login', { headers: { origin } })).headers)).to.be.empty
      })
    }

    it('answers a preflight with 405', async () => {
      const { send } = await serveRows(ROWS)
      const headers = { origin: OWN, 'access-control-request-method': 'POST' }
      const answer = await send('/auth/login', { method: 'OPTIONS', headers })
      expect(answer.status).to.equal(405)
      expect(allowed(answer.headers)).to.be.empty
    })
  })

  describe('of a row for own apps', () => {
    it('echoes an own app with credentials', async () => {
      const { send } = await serveRows(ROWS)
      const answer = await send('/auth/login', { method: 'DELETE', headers: { origin: OWN } })
      expect(allowed(answer.headers)).to.deep.equal({
        'access-control-allow-origin': OWN,
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': EXPOSED,
      })
      expect(answer.headers['vary']).to.include('Origin')
    })

    for (const origin of LOOK_ALIKES) {
      it(`sends nothing to ${origin}`, async () => {
        const { send } = await serveRows(ROWS)
        const answer = await send('/auth/login', { method: 'DELETE', headers: { origin } })
        expect(allowed(answer.headers)).to.be.empty
        expect(answer.headers['vary']).to.include('Origin')
      })
    }

    it('answers the preflight of an own app with the methods of that rule only', async () => {
      const { send } = await serveRows(ROWS)
      const headers = {
        origin: OWN,
        'access-control-request-method': 'DELETE',
        'access-control-request-headers': 'authorization, x-anything',
      }
      const answer = await send('/auth/login', { method: 'OPTIONS', headers })
      expect(answer).to.include({ status: 204, body: '' })
      expect(allowed(answer.headers)).to.deep.equal({
        'access-control-allow-origin': OWN,
        'access-control-allow-credentials': 'true',
        'access-control-allow-methods': 'DELETE',
        'access-control-allow-headers': 'Authorization, Content-Type, Accept, Idempotency-Key',
        'access-control-max-age': '43200',
      })
    })

    it('answers the preflight of another origin without any permission', async () => {
      const { send } = await serveRows(ROWS)
      const headers = { origin: 'https://evil.org', 'access-control-request-method': 'DELETE' }
      const answer = await send('/auth/login', { method: 'OPTIONS', headers })
      expect(answer.status).to.equal(204)
      expect(allowed(answer.headers)).to.be.empty
    })

    it('knows flat app hosts', async () => {
      const { send } = await serveRows(ROWS, { instance: FLAT })
      const origin = 'https://alice-drive.example.com'
      const own = await send('/auth/login', { method: 'DELETE', headers: { origin } })
      expect(own.headers['access-control-allow-origin']).to.equal(origin)
      const nested = await send('/auth/login', { method: 'DELETE', headers: { origin: OWN } })
      expect(allowed(nested.headers)).to.be.empty
      const other = 'https://bob-drive.example.com'
      const foreign = await send('/auth/login', { method: 'DELETE', headers: { origin: other } })
      expect(allowed(foreign.headers)).to.be.empty
    })

    it('compares scheme and port of the base', async () => {
      const { send } = await serveRows(ROWS, { instance: PORT })
      const cases: readonly (readonly [string, boolean])[] = [
        ['http://drive.alice.localhost:8080', true],
        ['https://drive.alice.localhost:8080', false],
        ['http://drive.alice.localhost', false],
        ['http://drive.alice.localhost:80', false],
      ]
      for (const [origin, isOwn] of cases) {
        const answer = await send('/auth/login', { method: 'DELETE', headers: { origin } })
        expect(answer.headers['access-control-allow-origin'], origin).to.equal(
          isOwn ? origin : undefined,
        )
      }
    })
  })

  describe('of a row for own apps and others', () => {
    it('gives credentials to own apps', async () => {
      const { send } = await serveRows(ROWS)
      const answer = await send('/data/io.svc.files', { headers: { origin: OWN } })
      expect(answer.headers['access-control-allow-origin']).to.equal(OWN)
      expect(answer.headers['access-control-allow-credentials']).to.equal('true')
    })

    for (const origin of LOOK_ALIKES) {
      it(`gives ${origin} no credentials`, async () => {
        const { send } = await serveRows(ROWS)
        const answer = await send('/data/io.svc.files', { headers: { origin } })
        expect(allowed(answer.headers)).to.deep.equal({
          'access-control-allow-origin': '*',
          'access-control-expose-headers': EXPOSED,
        })
        expect(answer.headers['vary']).to.include('Origin')
      })
    }

    it('names all methods of the path in the preflight', async () => {
      const { send } = await serveRows(ROWS)
      const headers = { origin: 'https://x.example', 'access-control-request-method': 'POST' }
      const answer = await send('/data/io.svc.files', { method: 'OPTIONS', headers })
      expect(answer.headers['access-control-allow-methods']).to.equal('GET, POST')
      expect(answer.headers['access-control-allow-origin']).to.equal('*')
    })
  })

  describe('of an open row', () => {
    for (const origin of [OWN, 'https://evil.org', 'null']) {
      it(`answers ${origin} with * and no credentials`, async () => {
        const { send } = await serveRows(ROWS)
        const answer = await send('/.well-known/thing', { headers: { origin } })
        expect(answer.headers['access-control-allow-origin']).to.equal('*')
        expect(answer.headers['access-control-allow-credentials']).to.equal(undefined)
      })
    }
  })

  it('is sent of an open row without an Origin, and with the 405 of its path', async () => {
    const { send } = await serveRows(ROWS)
    for (const [method, status] of [
      ['GET', 204],
      ['POST', 405],
    ] as const) {
      const answer = await send('/.well-known/thing', { method })
      expect(answer.status).to.equal(status)
      expect(allowed(answer.headers)).to.deep.equal({
        'access-control-allow-origin': '*',
        'access-control-expose-headers': EXPOSED,
      })
      expect(answer.headers['vary']).not.to.include('Origin')
    }
  })

  it('says nothing without an Origin', async () => {
    const { send } = await serveRows(ROWS)
    expect(allowed((await send('/data/io.svc.files')).headers)).to.be.empty
  })

  it('never sends a header on an app host', async () => {
    const { send } = await serveRows(ROWS, { appSlug: 'drive' })
    for (const target of ['/data/io.svc.files', '/.well-known/thing']) {
      const answer = await send(target, { headers: { origin: OWN } })
      expect(answer.status).to.equal(404)
      expect(allowed(answer.headers)).to.be.empty
    }
  })
})
