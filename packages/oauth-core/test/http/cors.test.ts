import { type BrowserResponse, fakeClock } from '@svc/testkit'
import { sqliteStore } from '@svc/store/sqlite'
import type { Store } from '@svc/store'
import { expect } from 'chai'
import type { RouteRow } from '@svc/platform'
import { type Answer, METADATA, type Send } from '../oauth-server.ts'
import { codeOf, tokensOf, VERIFIER } from '../client-steps.ts'
import { resourceServer } from '../resource-server.ts'
import { type ConsentServer, startConsentServer } from './consent-server.ts'

const OWN = 'https://drive.alice.example.com'
const OTHERS = [
  'https://alice.example.com',
  'https://drive.bob.example.com',
  'https://evil.example',
  'null',
]

/** D94: read by pages of any origin, when the request shows no secret. */
const FOR_PUBLIC_CLIENTS = ['/auth/access_token', '/auth/revoke']

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
    server = await startConsentServer({ store, clock, isKept: true })
  })
  after(async () => {
    await server.close()
    await store.close()
  })

  const path = (row: RouteRow): string => row.path.replace(/:[A-Za-z]+/g, 'x')

  it('is that of D28 on every row', async () => {
    expect(server.oauth.rows.length).to.be.greaterThan(5)
    for (const row of server.oauth.rows) {
      if (FOR_PUBLIC_CLIENTS.includes(row.path)) continue
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
        const isOpen = !['none', 'public-clients'].includes(row.cors ?? 'none')
        expect(answer.status, what).to.equal(isOpen ? 204 : 405)
      }
    }
  })
})

describe('CORS of the token and revocation endpoints', () => {
  const ORIGIN = { origin: 'https://assistant.example' }
  const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
  const ENDPOINTS = ['/auth/access_token', '/auth/revoke'] as const

  function allowed({ headers }: Answer): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(headers).filter(([name]) => name.startsWith('access-control-')),
    )
  }

  const ANY = {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'WWW-Authenticate, Retry-After',
  }

  it('lets a page connect that is a client without a secret', async () => {
    const server = await resourceServer()
    const client = await server.publicClient()
    const code = codeOf(await server.allow(client))
    const send = (path: string, form: Readonly<Record<string, string>>) =>
      server.send('POST', path, { form: { client_id: client, ...form }, headers: ORIGIN })
    const exchanged = await send('/auth/access_token', {
      grant_type: 'authorization_code',
      code,
      code_verifier: VERIFIER,
    })
    const { refresh_token } = tokensOf(exchanged)
    const refreshed = await send('/auth/access_token', {
      grant_type: 'refresh_token',
      refresh_token,
    })
    const revoked = await send('/auth/revoke', { token: tokensOf(refreshed).refresh_token })
    expect(revoked.status).to.equal(200)
    for (const answer of [exchanged, refreshed, revoked]) {
      expect(allowed(answer)).to.deep.equal(ANY)
      expect(answer.headers['vary']).to.equal('Cookie, Accept')
    }
  })

  it('is the same on every refusal, with and without an Origin', async () => {
    const server = await resourceServer()
    const client = await server.publicClient()
    const sent: readonly (readonly [Send, number])[] = [
      [{}, 400],
      [{ form: {} }, 400],
      [{ form: { client_id: 'unknown' } }, 401],
      [{ form: { client_id: client } }, 400],
      [{ form: { client_id: client, client_secret: '' } }, 400],
      [{ json: { client_id: client } }, 400],
      [{ body: 'client_id=a&client_id=b', headers: FORM }, 400],
      [{ body: `client_id=${'x'.repeat(70_000)}`, headers: FORM }, 413],
      [{ body: 'x', headers: { ...FORM, 'content-encoding': 'gzip' } }, 415],
    ]
    for (const path of ENDPOINTS) {
      for (const [request, status] of sent) {
        for (const origin of [ORIGIN, { origin: 'null' }, {}]) {
          const headers = { ...request.headers, ...origin }
          const answer = await server.send('POST', path, { ...request, headers })
          const what = `${path} ${JSON.stringify(request).slice(0, 80)}`
          expect(answer.status, what).to.equal(status)
          expect(allowed(answer), what).to.deep.equal(ANY)
        }
      }
    }
  })

  it('is none for a request that shows a secret, and for other methods', async () => {
    const server = await resourceServer()
    const { id, secret } = await server.register()
    const basic = (password: string) =>
      `Basic ${Buffer.from(`${id}:${password}`).toString('base64')}`
    const code = codeOf(await server.allow(id, { redirect_uri: METADATA.redirect_uris[0] }))
    const exchange = { grant_type: 'authorization_code', code, code_verifier: VERIFIER }
    const exchanged = await server.send('POST', ENDPOINTS[0], {
      form: { client_id: id, client_secret: secret, ...exchange },
      headers: ORIGIN,
    })
    expect(exchanged.status).to.equal(200)
    expect(allowed(exchanged)).to.deep.equal({})
    for (const path of ENDPOINTS) {
      for (const request of [
        { form: { client_id: id, client_secret: 'wrong' } },
        { form: { client_id: id, client_secret: secret } },
        { form: {}, headers: { authorization: basic(secret) } },
        { form: {}, headers: { authorization: basic('wrong') } },
        { form: { client_id: id }, headers: { authorization: 'Bearer x' } },
      ]) {
        const headers = { ...request.headers, ...ORIGIN }
        const answer = await server.send('POST', path, { ...request, headers })
        expect(allowed(answer), path).to.deep.equal({})
      }
    }
    const registration = await server.send('POST', '/auth/register', {
      json: { redirect_uris: ['https://a.example/'], token_endpoint_auth_method: 'none' },
      headers: ORIGIN,
    })
    expect(allowed(registration)).to.deep.equal({})
  })
})
