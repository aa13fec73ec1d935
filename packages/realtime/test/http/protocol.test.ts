import { expect } from 'chai'
import { beforeEach, describe, it } from 'mocha'
import { DRIVE, type RealtimeServer, SETTINGS, testRealtime } from '../support/realtime-server.ts'
import {
  errorFrame,
  FAILED,
  forbidden,
  type SocketClient,
  UNAUTHORIZED,
} from '../support/socket-client.ts'

describe('GET /realtime/, once connected', () => {
  let server: RealtimeServer

  beforeEach(async () => {
    server = await testRealtime()
  })

  async function expectRefused(client: SocketClient): Promise<void> {
    expect(await client.next()).to.deep.equal(UNAUTHORIZED)
    expect(await client.closed).to.deep.equal(FAILED)
  }
  const inTab = (): Promise<SocketClient> => server.connect({ headers: { cookie: 'session=tab' } })

  describe('AUTH', () => {
    it('answers nothing and stays open, for an app and for a client', async () => {
      const app = await inTab()
      app.send({ method: 'AUTH', payload: await server.appToken() })
      expect(await app.settled()).to.deep.equal([])
      const { token } = await server.client('io.svc.files:GET')
      const client = await server.connect()
      client.send({ method: 'auth', payload: token, extra: 1 })
      expect(await client.settled()).to.deep.equal([])
    })

    const wrong: readonly (readonly [string, unknown])[] = [
      ['no payload', { method: 'AUTH' }],
      ['an empty payload', { method: 'AUTH', payload: '' }],
      ['a payload that is no text', { method: 'AUTH', payload: { type: 'x' } }],
      ['a payload of nothing', { method: 'AUTH', payload: null }],
      ['something else than a token', { method: 'AUTH', payload: 'not-a-token' }],
    ]
    for (const [what, message] of wrong) {
      it(`answers 401 and closes 1008 for ${what}`, async () => {
        const client = await inTab()
        client.send(message)
        await expectRefused(client)
      })
    }

    const refused: readonly (readonly [string, () => Promise<string>, string?])[] = [
      ['a token of another instance', () => server.oauth.appTokens.issue(server.bob, DRIVE, 'tab')],
      ['an app token in another session', () => server.appToken(), 'session=other'],
      ['an app token without a session', () => server.appToken(), ''],
      [
        'an app token of a session that ended',
        () => server.appToken(DRIVE, 'gone'),
        'session=gone',
      ],
      ['a token of an app that is not installed', () => server.appToken({ ...DRIVE, slug: 'x' })],
      ['a token of a revoked client', revokedToken],
      ['a registration token', async () => registrationToken()],
    ]
    async function revokedToken(): Promise<string> {
      const { token, party } = await server.client('io.svc.files')
      await server.oauth.clients.revoke(server.alice, party.client.client_id, 'test')
      return token
    }
    async function registrationToken(): Promise<string> {
      const { party } = await server.client('io.svc.files')
      return String(party.client['registration_access_token'])
    }
    for (const [what, token, cookie = 'session=tab'] of refused) {
      it(`answers 401 and closes 1008 for ${what}`, async () => {
        server.live.add('other')
        const client = await server.connect({ headers: { cookie } })
        client.send({ method: 'AUTH', payload: await token() })
        await expectRefused(client)
      })
    }

    it('answers 405 with the method as sent to anything else at first, and closes', async () => {
      const client = await inTab()
      client.send({ method: 'Subscribe', payload: { type: 'io.svc.files', other: 1 } })
      const source = { method: 'Subscribe', payload: { type: 'io.svc.files' } }
      const title = 'The Subscribe method is not supported'
      expect(await client.next()).to.deep.equal(
        errorFrame('405 Method Not Allowed', 'method not allowed', title, source),
      )
      expect(await client.closed).to.deep.equal(FAILED)
    })

    for (const text of ['', '{', '[]', '"AUTH"', 'null', '1', '{"method":"AUTH"}x']) {
      it(`answers 400 and closes 1007 for ${text || 'an empty frame'}`, async () => {
        const client = await inTab()
        client.send(text)
        expect(await client.next()).to.deep.equal(
          errorFrame('400 Bad Request', 'bad request', 'The message is not valid JSON', null),
        )
        expect(await client.closed).to.deep.equal({ code: 1007, reason: '' })
      })
    }

    it('closes 1003 for a binary frame', async () => {
      const client = await inTab()
      client.raw.send(Buffer.from('{"method":"AUTH"}'), { binary: true })
      expect(await client.closed).to.deep.equal({ code: 1003, reason: 'text frames only' })
    })

    it('may be sent with everything else back to back', async () => {
      const client = await inTab()
      client.send({ method: 'AUTH', payload: await server.appToken() })
      for (let i = 0; i < 40; i += 1) client.subscribe('io.svc.files', `file-${i}`)
      expect(await client.settled()).to.deep.equal([])
      expect(server.realtime.stats().subscriptions).to.equal(40)
    })

    describe('again', () => {
      it('takes a new token of the same client, and takes away what it no longer allows', async () => {
        const client = await server.connect()
        const { token, party } = await server.client('io.svc.files:GET io.svc.notes:GET')
        client.send({ method: 'AUTH', payload: token })
        client.subscribe('io.svc.files')
        client.subscribe('io.svc.notes', 'one')
        expect(await client.follow('io.svc.notes')).to.deep.equal([])
        const narrow = await narrowed(token, party.client.client_id)
        client.send({ method: 'AUTH', payload: narrow })
        const lost = (await client.settled()) as { payload: Record<string, unknown> }[]
        expect(lost.map(({ payload }) => [payload['status'], payload['source']])).to.deep.equal([
          ['403 Forbidden', { method: 'SUBSCRIBE', payload: { type: 'io.svc.notes' } }],
          ['403 Forbidden', { method: 'SUBSCRIBE', payload: { type: 'io.svc.notes', id: 'one' } }],
        ])
        expect(server.realtime.stats().subscriptions).to.equal(1)
      })

      /** A token of the same grant with less scope. */
      async function narrowed(token: string, clientId: string): Promise<string> {
        const { createHmac } = await import('node:crypto')
        const key = await server.oauth.keyring.current(server.alice, 'access')
        const [head = '', payload = ''] = token.split('.')
        const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
        expect(claims).to.include({ sub: clientId })
        const less = Buffer.from(JSON.stringify({ ...claims, scope: 'io.svc.files:GET' }))
        const input = `${head}.${less.toString('base64url')}`
        return `${input}.${createHmac('sha512', key.secret).update(input).digest('base64url')}`
      }

      it('answers 401 and closes for the token of somebody else', async () => {
        const client = await server.connectApp()
        client.send({ method: 'AUTH', payload: await server.appToken(SETTINGS) })
        await expectRefused(client)
      })

      it('answers 401 and closes for a token that is none', async () => {
        const client = await server.connectApp()
        client.send({ method: 'AUTH', payload: 'x' })
        await expectRefused(client)
      })
    })
  })

  describe('SUBSCRIBE', () => {
    const missing = 'The type parameter is mandatory for SUBSCRIBE'
    const notFound = (source: unknown): unknown =>
      errorFrame('404 Page Not Found', 'page not found', missing, source)
    const bad = (source: unknown): unknown =>
      errorFrame('400 Bad Request', 'bad request', 'The payload is not valid', source)
    const long = 'x'.repeat(257)
    const cases: readonly (readonly [unknown, (source: unknown) => unknown, unknown?])[] = [
      [{ method: 'SUBSCRIBE' }, notFound],
      [{ method: 'SUBSCRIBE', payload: 'io.svc.files' }, notFound, { method: 'SUBSCRIBE' }],
      [{ method: 'SUBSCRIBE', payload: [] }, notFound, { method: 'SUBSCRIBE' }],
      [{ method: 'SUBSCRIBE', payload: null }, notFound, { method: 'SUBSCRIBE' }],
      [
        { method: 'SUBSCRIBE', payload: { type: {}, id: [1] } },
        notFound,
        { method: 'SUBSCRIBE', payload: {} },
      ],
      [{ method: 'SUBSCRIBE', payload: {} }, notFound],
      [{ method: 'SUBSCRIBE', payload: { type: '' } }, notFound],
      [{ method: 'SUBSCRIBE', payload: { type: 7, id: 'a' } }, notFound],
      [{ method: 'unsubscribe', payload: { id: 'a' } }, notFound],
      [{ method: 'SUBSCRIBE', payload: { type: 'io.svc.files', id: 7 } }, bad],
      [{ method: 'SUBSCRIBE', payload: { type: 'io.svc.files', id: null } }, bad],
      [
        { method: 'SUBSCRIBE', payload: { type: 'io.svc.files', id: long } },
        bad,
        { method: 'SUBSCRIBE', payload: { type: 'io.svc.files', id: long.slice(0, 256) } },
      ],
      [{ method: 'SUBSCRIBE', payload: { type: 'x'.repeat(129) } }, bad],
    ]
    it('answers 404 without a type and 400 for what is too long or no text, and stays open', async () => {
      const client = await server.connectApp()
      for (const [message, expected, source = message] of cases) {
        client.send(message)
        expect(await client.next(), JSON.stringify(message)).to.deep.equal(expected(source))
      }
      expect(await client.settled()).to.deep.equal([])
    })

    const uncovered: readonly (readonly [string, string?])[] = [
      ['io.svc.photos'],
      ['io.svc.logs'],
      ['io.svc.notes'],
      ['io.svc.notes', 'three'],
      ['io.svc.tags', 'one'],
      ['io.svc.bankers'],
      ['io.svc.oauth.clients'],
      ['*'],
      ['io.svc.*'],
      ['io.svc.Files'],
      ['.io.svc.files'],
      ['io.svc.files.'],
      ['io.svc..files'],
      ['io.svc a'],
      ['io/svc'],
      ['io.svc.é'],
      ['io.svc.files\n'],
    ]
    it('answers 403 where no permission covers it, and stays open', async () => {
      const client = await server.connectApp()
      for (const [type, id] of uncovered) {
        const payload = id === undefined ? { type } : { type, id }
        client.send({ method: 'SUBSCRIBE', payload })
        expect(await client.next(), type).to.deep.equal(forbidden(payload))
      }
    })

    it('refuses reserved types to everybody, flagship clients included', async () => {
      const client = await server.connect()
      client.send({ method: 'AUTH', payload: await flagshipToken() })
      expect(await client.follow('io.svc.anything')).to.deep.equal([])
      const reserved = [
        'account_types',
        'sessions',
        'permissions',
        'oauth.clients',
        'oauth.access_codes',
        'remote.secrets',
        'instances',
        'accounts.soft_deleted',
      ]
      for (const name of reserved) {
        client.subscribe(`io.svc.${name}`)
        expect(await client.next(), name).to.have.nested.property(
          'payload.title',
          `The application can't subscribe to io.svc.${name}`,
        )
      }
    })

    /** Of a client that the owner gave everything, after somebody certified it. */
    async function flagshipToken(): Promise<string> {
      const { party } = await server.client('io.svc.files')
      await server.oauth.clients.setFlagship(server.alice, party.client.client_id, true)
      return server.allow(party, '*')
    }

    it('lets the settings app alone hear of clients', async () => {
      const settings = await server.connectApp(SETTINGS)
      expect(await settings.follow('io.svc.oauth.clients')).to.deep.equal([])
      settings.subscribe('io.svc.sessions')
      expect(await settings.next()).to.have.nested.property('payload.status', '403 Forbidden')
    })

    it('allows what a rule covers, and confirmations without any', async () => {
      const client = await server.connectApp()
      client.subscribe('io.svc.files')
      client.subscribe('io.svc.files', 'x'.repeat(256))
      client.subscribe('io.svc.notes', 'two')
      client.subscribe('io.svc.bank.operations')
      client.subscribe('io.svc.bank')
      expect(await client.follow('io.svc.auth.confirmations')).to.deep.equal([])
      const settings = await server.connectApp(SETTINGS)
      expect(await settings.follow('io.svc.auth.confirmations', 'state')).to.deep.equal([])
    })

    it('answers 429 beyond 200, and stays open', async () => {
      server = await testRealtime({
        sameAs: server,
        realtime: { limits: { messages: 999, waitingMessages: 999 } },
      })
      const client = await server.connectApp()
      for (let i = 0; i < 200; i += 1) client.subscribe('io.svc.files', `${i}`)
      expect(await client.follow('io.svc.files', '7')).to.deep.equal([])
      client.subscribe('io.svc.files')
      expect(await client.next()).to.deep.equal(
        errorFrame('429 Too Many Requests', 'too many requests', 'Too many subscriptions', {
          method: 'SUBSCRIBE',
          payload: { type: 'io.svc.files' },
        }),
      )
      client.send({ method: 'UNSUBSCRIBE', payload: { type: 'io.svc.files', id: '7' } })
      expect(await client.follow('io.svc.files')).to.deep.equal([])
    })
  })

  it('answers 405 to other methods with the case sent, and stays open', async () => {
    const client = await server.connectApp()
    const cut = 'x'.repeat(256)
    for (const [message, method, source] of [
      [{ method: 'ping', payload: 'secret' }, 'ping', { method: 'ping' }],
      [{ payload: { type: 'x' } }, '', { payload: { type: 'x' } }],
      [{ method: 7 }, '', {}],
      [{ method: '$& $1' }, '$& $1', { method: '$& $1' }],
      [
        { method: `${cut}x`, payload: { id: `${cut}x` } },
        cut,
        { method: cut, payload: { id: cut } },
      ],
    ] as const) {
      client.send(message)
      const title = `The ${method} method is not supported`
      expect(await client.next()).to.deep.equal(
        errorFrame('405 Method Not Allowed', 'method not allowed', title, source),
      )
    }
    expect(await client.settled()).to.deep.equal([])
  })

  it('answers 429 and closes 1008 beyond 60 messages in 10 s', async () => {
    const client = await server.connectApp()
    // The token and a mark came before.
    for (let i = 0; i < 58; i += 1) client.subscribe('io.svc.files')
    client.send({ method: 'UNSUBSCRIBE', payload: { type: 'io.svc.files' } })
    expect(await client.next()).to.deep.equal(
      errorFrame('429 Too Many Requests', 'too many requests', 'Too many messages', {
        method: 'UNSUBSCRIBE',
        payload: { type: 'io.svc.files' },
      }),
    )
    expect(await client.closed).to.deep.equal({ code: 1008, reason: 'too many messages' })
  })
})
