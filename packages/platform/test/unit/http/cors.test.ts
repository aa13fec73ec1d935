import { expect } from 'chai'
import { describe, it } from 'mocha'
import type { CorsRule, RouteRow } from '../../../src/http/route.ts'
import type { Instance } from '../../../src/instances/instance.ts'
import { testInstance } from '../../support/test-instance.ts'
import { ask, type Answer, serveRows, testRow } from './serve-rows.ts'

/** D28, as rows. */
function row(method: RouteRow['method'], path: string, cors?: CorsRule): RouteRow {
  const handler: RouteRow['handler'] = (ctx) => {
    ctx.status = 204
  }
  return testRow({ method, path, handler, ...(cors && { cors }) })
}

const ROWS = [
  row('GET', '/auth/login'),
  row('POST', '/auth/login', 'none'),
  row('DELETE', '/auth/login', 'app-origins'),
  row('GET', '/data/:type', 'app-origins-or-any'),
  row('POST', '/data/:type', 'app-origins-or-any'),
  row('GET', '/.well-known/thing', 'open'),
]

const FLAT = testInstance(undefined, { subdomains: 'flat' })
const PORT = testInstance('alice.localhost:8080', {
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
const OPEN = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
}

type Options = Parameters<typeof serveRows>[1]

/** A request with an origin. */
async function from(
  origin: string,
  target: string,
  method = 'GET',
  options: Options = {},
): Promise<Answer> {
  const { send } = await serveRows(ROWS, options)
  return send(target, { method, headers: { origin } })
}

/** A preflight for a method. */
async function preflight(target: string, origin: string, method: string): Promise<Answer> {
  const { send } = await serveRows(ROWS)
  const headers = {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization, x-anything',
  }
  return send(target, { method: 'OPTIONS', headers })
}

describe('CORS', () => {
  describe('of a row without any', () => {
    it('sends nothing, whatever the origin', async () => {
      for (const origin of [OWN, ...LOOK_ALIKES]) {
        expect(allowed((await from(origin, '/auth/login')).headers), origin).to.be.empty
      }
    })

    it('answers a preflight with 405', async () => {
      const answer = await preflight('/auth/login', OWN, 'POST')
      expect(answer.status).to.equal(405)
      expect(allowed(answer.headers)).to.be.empty
    })
  })

  describe('of a row for own apps', () => {
    const remove = (origin: string, options?: Options) =>
      from(origin, '/auth/login', 'DELETE', options)

    it('echoes an own app with credentials', async () => {
      const { headers } = await remove(OWN)
      expect(allowed(headers)).to.deep.equal({
        'access-control-allow-origin': OWN,
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': EXPOSED,
      })
      expect(headers['vary']).to.include('Origin')
    })

    it('sends nothing to what looks like one', async () => {
      for (const origin of LOOK_ALIKES) {
        const { headers } = await remove(origin)
        expect(allowed(headers), origin).to.be.empty
        expect(headers['vary']).to.include('Origin')
      }
    })

    it('answers the preflight of an own app with the methods of that rule only', async () => {
      const answer = await preflight('/auth/login', OWN, 'DELETE')
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
      const answer = await preflight('/auth/login', 'https://evil.org', 'DELETE')
      expect(answer.status).to.equal(204)
      expect(allowed(answer.headers)).to.be.empty
    })

    const hosts: readonly (readonly [Instance, string, boolean])[] = [
      [FLAT, 'https://alice-drive.example.com', true],
      [FLAT, OWN, false],
      [FLAT, 'https://bob-drive.example.com', false],
      [PORT, 'http://drive.alice.localhost:8080', true],
      [PORT, 'https://drive.alice.localhost:8080', false],
      [PORT, 'http://drive.alice.localhost', false],
      [PORT, 'http://drive.alice.localhost:80', false],
    ]
    it('knows flat app hosts, and compares scheme and port of the base', async () => {
      for (const [instance, origin, isOwn] of hosts) {
        const { headers } = await remove(origin, { instance })
        const found = allowed(headers)['access-control-allow-origin']
        expect(found, origin).to.equal(isOwn ? origin : undefined)
      }
    })
  })

  describe('of a row for own apps and others', () => {
    it('gives credentials to own apps', async () => {
      const { headers } = await from(OWN, '/data/io.svc.files')
      expect(headers['access-control-allow-origin']).to.equal(OWN)
      expect(headers['access-control-allow-credentials']).to.equal('true')
    })

    it('gives others no credentials', async () => {
      for (const origin of LOOK_ALIKES) {
        const { headers } = await from(origin, '/data/io.svc.files')
        expect(allowed(headers), origin).to.deep.equal(OPEN)
        expect(headers['vary']).to.include('Origin')
      }
    })

    it('names all methods of the path in the preflight', async () => {
      const { headers } = await preflight('/data/io.svc.files', 'https://x.example', 'POST')
      expect(headers['access-control-allow-methods']).to.equal('GET, POST')
      expect(headers['access-control-allow-origin']).to.equal('*')
    })
  })

  it('of an open row is * without credentials, whatever the origin, and for the 405 of its path', async () => {
    const { send } = await serveRows(ROWS)
    for (const origin of [OWN, 'https://evil.org', 'null', undefined]) {
      for (const [method, status] of [
        ['GET', 204],
        ['POST', 405],
      ] as const) {
        const headers = origin === undefined ? {} : { origin }
        const answer = await send('/.well-known/thing', { method, headers })
        expect(answer.status).to.equal(status)
        expect(allowed(answer.headers)).to.deep.equal(OPEN)
        expect(answer.headers['vary']).not.to.include('Origin')
      }
    }
  })

  it('says nothing without an Origin', async () => {
    expect(allowed((await ask(ROWS, '/data/io.svc.files')).headers)).to.be.empty
  })

  it('never sends a header on an app host', async () => {
    for (const target of ['/data/io.svc.files', '/.well-known/thing']) {
      const answer = await from(OWN, target, 'GET', { appSlug: 'drive' })
      expect(answer.status).to.equal(404)
      expect(allowed(answer.headers)).to.be.empty
    }
  })
})
