import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { StoreUnavailableError, type Store } from '@svc/store'
import { sqliteStore } from '@svc/store/sqlite'
import { type FakeClock, fakeClock, type Listening, listen, requestLoopback } from '@svc/testkit'
import { NO_ACTIVITY } from '@svc/platform'
import { expect } from 'chai'
import {
  refusalResponse,
  type Refused,
  sendRefusal,
} from '../../src/access/authenticate-request.ts'
import { signJwt } from '../../src/tokens/jwt.ts'
import { allow, type ConsentServer, DRIVE, startConsentServer } from './consent-server.ts'

const RULE = { verb: 'GET', type: 'io.svc.files' } as const
const ALICE = 'alice.example.com'
const PAGE = { accept: 'text/html', 'sec-fetch-mode': 'navigate' }

/** One request; a bare text is its token. */
interface Asked {
  readonly what: string
  readonly status: number
  /** What stands in the challenge, or in the body. */
  readonly says: string
  readonly headers: http.OutgoingHttpHeaders
  readonly method?: string
}

/** What came back: status, header fields with their order and spelling, body. */
type Answer = string

describe('the guard, in Koa and outside of it', () => {
  let clock: FakeClock
  let store: Store
  let server: ConsentServer
  let isAway = false
  const guards: [name: string, server: Listening][] = []
  let asked: readonly Asked[] = []

  before(async () => {
    clock = fakeClock()
    store = sqliteStore({ file: ':memory:', clock })
    const { get } = store
    store.get = (key) =>
      isAway ? Promise.reject(new StoreUnavailableError('away')) : (get.call(store, key) as never)
    server = await startConsentServer({ store, clock, isKept: true })
    const { oauth } = server
    const through =
      (view: (request: IncomingMessage) => Parameters<typeof oauth.authenticateRequest>[0]) =>
      async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
        const seen = await oauth.authenticateRequest(view(request), RULE)
        if (seen.ok) response.end('passed')
        else sendRefusal(response, seen)
      }
    const nodeGuard = oauth.nodeGuard(RULE)
    guards.push(
      [
        'nodeGuard',
        await listen((request, response) => {
          nodeGuard(request, response, () => response.end('passed'))
        }),
      ],
      ['a request of Node', await listen((...both) => void through((request) => request)(...both))],
      ['a request of the web', await listen((...both) => void through(webRequest)(...both))],
      ['plain headers', await listen((...both) => void through(plainRequest)(...both))],
    )
    asked = await makeRequests()
  })
  after(async () => {
    for (const [, each] of guards) await each.close()
    await server.close()
    await store.close()
  })

  async function makeRequests(): Promise<readonly Asked[]> {
    const { alice, bob, oauth } = server
    const party = await server.client()
    const { access_token: good, refresh_token: refresh = '' } = await allow(server, party)
    const { access_token: narrow } = await allow(server, party, { scope: 'io.svc.files:GET:one' })
    const { access_token: contacts } = await allow(server, party, { scope: 'io.svc.contacts:GET' })
    const other = await server.client({ software_id: 'github.com/example/other' })
    const { access_token: revoked } = await allow(server, other)
    await oauth.clients.revoke(alice, other.client.client_id, 'test')
    server.installed.set('drive', DRIVE)
    server.pages.live.add('one').add('two')
    const app = await oauth.appTokens.issue(alice, DRIVE, 'one')
    const key = await oauth.keyring.current(alice, 'access')
    const sessionKey = await oauth.keyring.current(alice, 'session')
    const iat = Math.floor(clock.now() / 1000)
    const [, payload = ''] = good.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const sign = (fields: object): string =>
      signJwt(key, { ...claims, iat, exp: iat + 86_400, ...fields })
    await oauth.instances.create({ domain: 'carol.example.com', aliases: ['carol.example.net'] })
    await oauth.instances.update(bob.id, { status: 'blocked' })
    const bearer = (token: string, more: http.OutgoingHttpHeaders = {}) => ({
      authorization: `Bearer ${token}`,
      ...more,
    })
    const [MISSING, INVALID] = ['Bearer realm="alice.example.com"', 'Bearer error="invalid_token"']
    const basic = Buffer.from(`user:${good}`).toString('base64')
    const changed = `${good.slice(0, -4)}AAAA`
    const signed = (fields: object) => [401, INVALID, bearer(sign(fields))] as const
    const list: Readonly<
      Record<string, readonly [number, string, http.OutgoingHttpHeaders, string?]>
    > = {
      'a good token': [200, '', bearer(good)],
      'the same for HEAD': [200, '', bearer(good), 'HEAD'],
      'a token of one document': [200, '', bearer(narrow)],
      'bearer in small letters': [200, '', { authorization: `bearer ${good}` }],
      'an app in its session': [200, '', bearer(app, { cookie: 'session=one' })],
      'an app behind another cookie': [200, '', bearer(app, { cookie: 'a=b; session=one' })],
      'no token': [401, MISSING, {}],
      'no token for HEAD': [401, MISSING, {}, 'HEAD'],
      'no token for POST': [401, MISSING, {}, 'POST'],
      'an empty header': [401, MISSING, { authorization: '' }],
      'Bearer alone': [401, MISSING, { authorization: 'Bearer' }],
      'Bearer and a space': [401, MISSING, { authorization: 'Bearer ' }],
      Basic: [401, MISSING, { authorization: `Basic ${basic}` }],
      'a bare token': [401, MISSING, { authorization: good }],
      'a cookie': [401, MISSING, { cookie: `access_token=${good}` }],
      'two tokens': [401, INVALID, { authorization: `Bearer ${good} ${good}` }],
      'two spaces': [401, INVALID, { authorization: `Bearer  ${good}` }],
      'two fields': [
        401,
        INVALID,
        { authorization: [`Bearer ${good}`, `Bearer ${good}`] as never },
      ],
      'two fields, one of them Basic': [
        401,
        INVALID,
        { authorization: [`Bearer ${good}`, 'Basic x'] as never },
      ],
      nonsense: [401, INVALID, bearer('nonsense')],
      'three dots': [401, INVALID, bearer('a.b.c')],
      'a changed signature': [401, INVALID, bearer(changed)],
      'alg none': [401, INVALID, bearer(`eyJhbGciOiJub25lIn0.${payload}.`)],
      'a refresh token': [401, INVALID, bearer(refresh)],
      'a registration token': [
        401,
        INVALID,
        bearer(String(party.client['registration_access_token'])),
      ],
      'a client secret': [401, INVALID, bearer(String(party.client.client_secret))],
      'a client id': [401, INVALID, bearer(party.client.client_id)],
      'a token of a revoked client': [401, INVALID, bearer(revoked)],
      'a token of another issuer': signed({ iss: 'bob.example.com' }),
      'a token of the future': signed({ iat: iat + 600 }),
      'an expired token': signed({ iat: iat - 90_000, exp: iat - 3600 }),
      'a token of another client': signed({ sub: 'other' }),
      'a token of another grant': signed({ gid: 'other' }),
      'a token for everything': signed({ scope: '*' }),
      'a konnector token': signed({ aud: 'konn' }),
      'the audience of apps': signed({ aud: 'app', sub: 'drive', session_id: 'one' }),
      'the key of sessions': [401, INVALID, bearer(signJwt(sessionKey, claims))],
      'an app without its session': [401, INVALID, bearer(app)],
      'an app in another session': [401, INVALID, bearer(app, { cookie: 'session=two' })],
      'a token of another kind of data': [
        403,
        'Bearer error="insufficient_scope"',
        bearer(contacts),
      ],
      'the token on another instance': [401, INVALID, bearer(good, { host: 'carol.example.com' })],
      'no token on an alias, for a program': [
        401,
        'Bearer realm="carol.example.com"',
        { host: 'carol.example.net', accept: 'application/json' },
      ],
      'an app on an alias': [404, '', bearer(good, { host: 'drive.carol.example.net' }), 'POST'],
      'a visit without a token': [401, MISSING, PAGE],
      'a visit that prefers JSON': [401, MISSING, { ...PAGE, accept: 'application/json' }],
      'a visit with a wrong token': [401, INVALID, bearer('nonsense', PAGE)],
      'a forwarded host': [401, MISSING, { 'x-forwarded-host': 'bob.example.com' }],
      'a blocked instance': [503, '', bearer(good, { host: 'bob.example.com' })],
      'a visit of a blocked instance': [503, '', { ...PAGE, host: 'bob.example.com' }],
      'a host that no instance has': [404, '', bearer(good, { host: 'x.example.com' })],
      'a visit of a host that no instance has': [404, '', { ...PAGE, host: 'x.example.com' }],
      'a host that is none': [400, '', bearer(good, { host: 'a b' })],
    }
    return Object.entries(list).map(([what, [status, says, headers, method]]) => ({
      what,
      status,
      says,
      headers: { host: ALICE, ...headers },
      ...(method !== undefined && { method }),
    }))
  }

  async function compare({ what, status, says, headers, method = 'GET' }: Asked): Promise<void> {
    const inKoa = await ask(server.port, method, headers)
    expect(inKoa.status, what).to.equal(status)
    expect(inKoa.answer, what).to.include(says)
    for (const [name, guard] of guards) {
      const outside = await ask(guard.port, method, headers)
      expect(outside.status, `${what}, ${name}`).to.equal(status)
      if (status !== 200) expect(outside.answer, `${what}, ${name}`).to.equal(inKoa.answer)
    }
  }

  it('answers at least forty requests with the same bytes', async () => {
    expect(asked.length).to.be.at.least(40)
    for (const each of asked) await compare(each)
  })

  it('answers a page to a visit, and JSON to everybody else', async () => {
    for (const [headers, type] of [
      [PAGE, 'text/html; charset=utf-8'],
      [{ ...PAGE, 'sec-fetch-mode': 'cors' }, 'application/json; charset=utf-8'],
    ] as const) {
      const refused = (await server.oauth.authenticateRequest(
        { headers: { host: ALICE, ...headers }, url: '/files' },
        RULE,
      )) as Refused
      expect(refused.headers['Content-Type']).to.equal(type)
      const answer = refusalResponse(refused)
      expect([answer.status, answer.headers.get('content-type')]).to.deep.equal([401, type])
      expect(answer.headers.get('www-authenticate')).to.equal(`Bearer realm="${ALICE}"`)
      expect(await answer.text()).to.equal(refused.page ?? '{"error":"missing_token"}')
    }
  })

  it('answers 503, never 401, while the store is away', async () => {
    clock.advance(5000)
    isAway = true
    try {
      await compare({
        what: 'away',
        status: 503,
        says: '{"error":"store_unavailable"}',
        headers: { host: ALICE, authorization: 'Bearer x' },
      })
      const seen = await server.oauth.authenticateRequest({ headers: { host: ALICE } }, RULE)
      expect(seen).to.deep.include({ ok: false, status: 503, code: 'store_unavailable' })
      expect((seen as Refused).headers).to.include({ 'Retry-After': '1' })
    } finally {
      isAway = false
    }
  })

  it('says who calls, with a rule and without one', async () => {
    const [good] = asked
    const request = { headers: good?.headers as Record<string, string> }
    for (const seen of [
      await server.oauth.authenticateRequest(request, RULE),
      await server.oauth.authenticateRequest(request),
    ]) {
      expect(seen).to.deep.include({ ok: true, instance: server.alice })
      expect(seen.ok && seen.access.allows('GET', 'io.svc.files')).to.equal(true)
    }
  })

  it('takes the instance from the address only where no header names one', async () => {
    const { oauth } = server
    const url = 'https://alice.example.com/files'
    const named = await oauth.authenticateRequest({ headers: {}, url }, RULE)
    expect(named).to.deep.include({ ok: false, status: 401 })
    const other = await oauth.authenticateRequest({ headers: { host: 'x.example' }, url }, RULE)
    expect(other).to.deep.include({ ok: false, status: 404 })
    const authority = { headers: { ':authority': ALICE } }
    expect(await oauth.authenticateRequest(authority, RULE)).to.include({ status: 401 })
  })

  it('counts what was done: in Koa and with nodeGuard what was answered well, else at once', async () => {
    const used: unknown[] = []
    const { oauth } = server
    oauth.useActivity({ ...NO_ACTIVITY, used: (_, { what, type }) => void used.push([what, type]) })
    const headers = asked[0]?.headers ?? {}
    const guard = oauth.nodeGuard(RULE)
    for (const status of [200, 409]) {
      const answering = await listen((request, response) => {
        guard(request, response, () => response.writeHead(status).end())
      })
      await ask(answering.port, 'GET', headers)
      await answering.close()
    }
    for (const method of ['GET', 'POST']) await ask(server.port, method, headers)
    expect(used).to.deep.equal([
      ['reads', RULE.type],
      ['reads', RULE.type],
    ])
    const request = { headers: headers as Record<string, string> }
    await oauth.authenticateRequest(request, RULE)
    await oauth.authenticateRequest(request)
    expect(used).to.have.lengthOf(3)
  })

  it('gives what it cannot answer any more to the framework', async () => {
    const guard = server.oauth.nodeGuard(RULE)
    const passed = Promise.withResolvers<unknown>()
    const answering = await listen((request, response) => {
      // Something in front has answered already: the refusal has no place to go.
      response.end('answered')
      guard(request, response, passed.resolve)
    })
    const { answer } = await ask(answering.port, 'GET', {})
    expect(await passed.promise).to.have.property('code', 'ERR_HTTP_HEADERS_SENT')
    await answering.close()
    expect(answer.split('\n').at(-1)).to.equal('answered')
  })

  it('notes who calls for whoever asks about the request', async () => {
    const { oauth } = server
    const guard = oauth.nodeGuard(RULE)
    const answering = await listen((request, response) => {
      guard(request, response, () => {
        const { access, address, instance } = oauth.requestOf(request) ?? {}
        response.end([access?.kind, address, instance?.domain].join(' '))
      })
    })
    const { answer } = await ask(answering.port, 'GET', asked[0]?.headers ?? {})
    await answering.close()
    expect(answer.split('\n').at(-1)).to.equal(`access 127.0.0.1 ${ALICE}`)
  })
})

function webRequest({ rawHeaders, method = 'GET', url = '/' }: IncomingMessage): Request {
  const headers = new Headers()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    headers.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '')
  }
  return new Request(`http://127.0.0.1${url}`, { method, headers })
}

function plainRequest({ headersDistinct, method = 'GET', url = '/' }: IncomingMessage) {
  return { headers: headersDistinct, method, url }
}

async function ask(
  port: number,
  method: string,
  headers: http.OutgoingHttpHeaders,
): Promise<{ status: number; answer: Answer }> {
  const url = new URL('http://127.0.0.1/files')
  const answer = await requestLoopback({ port }, new http.Agent(), { method, url, headers })
  const { status, rawHeaders, body } = answer
  const fields = rawHeaders.flatMap((name, i) =>
    i % 2 === 0 && name !== 'Date' ? [`${name}: ${rawHeaders[i + 1]}`] : [],
  )
  return { status, answer: [status, ...fields, '', String(body)].join('\n') }
}
