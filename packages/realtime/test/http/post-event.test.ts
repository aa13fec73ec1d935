import type { AppManifest } from '@svc/oauth-core'
import type { Store } from '@svc/store'
import { sqliteStore } from '@svc/store/sqlite'
import { type BrowserResponse, recordStatuses } from '@svc/testkit'
import { expect } from 'chai'
import { after, before, describe, it } from 'mocha'
import { type RealtimeServer, startRealtime, testRealtime } from '../support/realtime-server.ts'
import type { SocketClient } from '../support/socket-client.ts'

/** An app that may do everything to the types that only the server tells of. */
const EVERYTHING: AppManifest = {
  slug: 'everything',
  name: 'Everything',
  permissions: {
    auth: { type: 'io.svc.auth.confirmations' },
    notifications: { type: 'io.svc.notifications' },
    sessions: { type: 'io.svc.sessions.*' },
    settings: { type: 'io.svc.settings.*' },
  },
  routes: {},
}

const reserved = (type: string) => ({
  error: `reserved doctype ${type} unwritable`,
  code: 'forbidden',
})

describe('POST /realtime/:doctype/:id', () => {
  let store: Store
  let server: RealtimeServer
  let client: SocketClient
  let token: string
  const statuses = recordStatuses()

  before(async () => {
    store = sqliteStore({ file: ':memory:' })
    server = await startRealtime({ store, observe: statuses.middleware })
    client = await server.connectApp()
    await client.follow('io.svc.files')
    server.installed.set(EVERYTHING.slug, EVERYTHING)
    token = await server.appToken()
  })
  after(async () => {
    await server.close()
    await store.close()
  })

  interface Call {
    readonly path?: string
    readonly body?: string
    readonly type?: string
    readonly token?: string
    readonly origin?: string
  }

  function post(call: Call = {}): Promise<BrowserResponse> {
    const { path = 'io.svc.files/one', body = '{}', type = 'application/json' } = call
    return server.browser().request('POST', `/realtime/${path}`, {
      body,
      headers: {
        cookie: 'session=tab',
        'content-type': type,
        authorization: `Bearer ${call.token ?? token}`,
        ...(call.origin !== undefined && { origin: call.origin }),
      },
    })
  }

  it('answers 204 and tells subscribers, the document under its id', async () => {
    const answer = await post({ body: '{"a":[1],"_id":"forged"}' })
    expect([answer.status, answer.text]).to.deep.equal([204, ''])
    expect(await client.settled()).to.deep.equal([
      {
        event: 'NOTIFIED',
        payload: { id: 'one', type: 'io.svc.files', doc: { a: [1], _id: 'one' } },
      },
    ])
  })

  it('tells integers beyond 2^53 with their digits (D97)', async () => {
    const frames: string[] = []
    client.raw.on('message', (data: Buffer) => frames.push(data.toString()))
    await post({ body: '{"user_id":17841405822304915}' })
    await client.settled()
    expect(frames.join()).to.include('"doc":{"user_id":17841405822304915,"_id":"one"}')
  })

  it('answers 204 without subscribers, with a rule for this id alone, and to both media types', async () => {
    const type = 'application/vnd.api+json'
    expect((await post({ path: 'io.svc.accounts/oauth-popup', type })).status).to.equal(204)
    expect((await post({ path: 'io.svc.logs/one%2Ftwo' })).status).to.equal(204)
    expect(await client.settled()).to.deep.equal([])
  })

  it('tells a body of just 64 KiB whole', async () => {
    const text = 'x'.repeat(65_536 - '{"text":""}'.length)
    expect((await post({ body: JSON.stringify({ text }) })).status).to.equal(204)
    const [event] = await client.settled()
    expect(event).to.have.deep.nested.property('payload.doc', { text, _id: 'one' })
  })

  const big = JSON.stringify({ text: 'x'.repeat(65_536) })
  const refused: readonly (readonly [string, Call, number, string])[] = [
    // Strangers are refused before the body is read.
    ['without a token', { token: '', type: 'text/plain', body: 'a=b' }, 401, 'missing_token'],
    ['with another token', { token: 'x' }, 401, 'invalid_token'],
    ['without permission', { path: 'io.svc.photos/one' }, 403, 'insufficient_scope'],
    ['with GET alone', { path: 'io.svc.notes/one' }, 403, 'insufficient_scope'],
    ['for another id', { path: 'io.svc.accounts/other' }, 403, 'insufficient_scope'],
    ['for no doctype', { path: '*/one' }, 403, 'insufficient_scope'],
    ['for an array', { body: '[]' }, 400, 'the body is not a JSON object'],
    ['for a long number', { body: '17841405822304915' }, 400, 'the body is not a JSON object'],
    ['for bad JSON', { body: '{' }, 400, 'malformed JSON'],
    ['for too long an id', { path: `io.svc.files/${'x'.repeat(257)}` }, 400, 'the id is too long'],
    ['for a body above 64 KiB', { body: big }, 413, 'payload_too_large'],
    ['for text', { type: 'text/plain' }, 415, 'unsupported_media_type'],
    [
      'for a reserved type',
      { path: 'io.svc.sessions/one' },
      403,
      'reserved doctype io.svc.sessions unreadable',
    ],
    [
      'for clients',
      { path: 'io.svc.oauth.clients/one' },
      403,
      'reserved doctype io.svc.oauth.clients unreadable',
    ],
  ]
  for (const [what, call, status, error] of refused) {
    it(`answers ${status} ${what}`, async () => {
      const answer = await post(call)
      expect(answer.status).to.equal(status)
      expect(answer.json()).to.include({ error })
      expect(await client.settled()).to.deep.equal([])
    })
  }

  describe('of types that only the server tells of', () => {
    const names = [
      'auth.confirmations',
      'notifications',
      'sessions.logins',
      'settings.factors',
      'settings.passphrase',
      'settings.trusted_devices',
    ]
    for (const [name, grant] of [
      ...names.map((name) => [name, () => server.appToken(EVERYTHING)] as const),
      // The owner may give a client the scope.
      [
        'auth.confirmations',
        async () => (await server.client('io.svc.auth.confirmations')).token,
      ] as const,
    ]) {
      it(`answers 403 for ${name}, whatever the token may do, and tells nobody`, async () => {
        const type = `io.svc.${name}`
        const listener = await server.connectApp(EVERYTHING)
        expect(await listener.follow(type)).to.deep.equal([])
        const answer = await post({ path: `${type}/state`, token: await grant() })
        expect([answer.status, answer.json()]).to.deep.equal([403, reserved(type)])
        expect(await listener.settled()).to.deep.equal([])
      })
    }

    it('follows the namespace, and takes more types from the host', async () => {
      const type = 'io.cozy.auth.confirmations'
      const other = await testRealtime({
        oauth: { namespace: 'io.cozy' },
        realtime: { serverTypes: ['io.cozy.bank.alerts'] },
      })
      const { token: granted } = await other.client(`${type} io.cozy.bank.alerts`)
      const headers = { authorization: `Bearer ${granted}` }
      const send = (path: string) => other.browser().postJson(`/realtime/${path}`, {}, { headers })
      for (const refusedType of [type, 'io.cozy.bank.alerts']) {
        const answer = await send(`${refusedType}/state`)
        expect([answer.status, answer.json()]).to.deep.equal([403, reserved(refusedType)])
        expect(other.realtime.isServerType(refusedType)).to.equal(true)
      }
      expect(other.realtime.isServerType('io.svc.auth.confirmations')).to.equal(false)
      expect(other.realtime.isServerType('io.cozy.accounts')).to.equal(false)
    })
  })

  it('answers pages of the own apps alone', async () => {
    const own = await post({ origin: 'https://drive.alice.example.com' })
    expect(own.headers['access-control-allow-origin']).to.equal('https://drive.alice.example.com')
    expect(own.headers['access-control-allow-credentials']).to.equal('true')
    const other = await post({ origin: 'https://evil.example' })
    expect(other.headers).to.not.have.property('access-control-allow-origin')
    await client.settled()
  })

  it('answers, like the other routes, what their rows declare', async () => {
    for (const path of ['/realtime/', '/realtime']) {
      const answer = await server.browser().get(path)
      expect(answer.status).to.equal(426)
      expect(answer.headers).to.include({ upgrade: 'websocket', 'sec-websocket-version': '13' })
    }
    expect(statuses.undeclared()).to.deep.equal([])
    expect(statuses.missing(server.realtime.rows)).to.deep.equal([])
  })
})
