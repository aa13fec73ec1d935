import { createECDH, randomBytes } from 'node:crypto'
import { eachStore, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import type { NotifiableDevice } from '../../src/index.ts'
import { METADATA, type OAuthServer, oauthServer, type Registered } from '../oauth-server.ts'

const MANY = { limit: 10_000, windowMs: 3_600_000 }
const SCOPE = 'io.svc.files:GET'

const device = (token: string, platform = 'android') => ({
  notification_platform: platform,
  notification_device_token: token,
})

function subscription(changes: Readonly<Record<string, unknown>> = {}): string {
  const point = createECDH('prime256v1').generateKeys('base64url')
  return JSON.stringify({
    endpoint: 'https://push.example.net/send/1',
    expirationTime: null,
    keys: { p256dh: point, auth: randomBytes(16).toString('base64url') },
    ...changes,
  })
}

async function change(server: OAuthServer, client: Registered, fields: Record<string, unknown>) {
  return server.send('PUT', `/auth/register/${client.id}`, {
    json: { client_id: client.id, ...fields },
    headers: server.bearer(client.token),
  })
}

async function allowed(server: OAuthServer, fields: Record<string, unknown>): Promise<Registered> {
  const client = await server.register(fields)
  await server.oauth.clients.issueTokens(server.instance, client.id, SCOPE)
  return client
}

const tokensOf = async ({ oauth, instance }: OAuthServer): Promise<string[]> =>
  (await oauth.clients.listNotifiable(instance)).map(({ token }) => token)

// notifications.md 17
describe('device tokens of clients', () => {
  const hex = (length: number): string => 'aB'.repeat(length / 2)
  const fine: readonly [string, Record<string, unknown>][] = [
    ['a token of 4 096 visible characters', device('~'.repeat(4096))],
    ['a token without a platform', { notification_device_token: 'abc' }],
    ['a platform without a token', { notification_platform: 'IOS' }],
    ['64 hex digits for apns', device(hex(64), 'apns')],
    ['200 hex digits for apns', device(hex(200), 'apns')],
    ['any token for ios, which mostly goes over FCM', device('abc:def', 'ios')],
    ['a subscription for webpush', device(subscription(), 'webpush')],
  ]
  it('may be', async () => {
    const server = await oauthServer()
    for (const [what, fields] of fine) {
      const { body } = await server.register(fields)
      const { notification_device_token: token } = fields
      expect(body['notification_device_token'], what).to.equal(token)
    }
  })

  const web = (changes: object) => device(subscription({ ...changes }), 'webpush')
  const point = createECDH('prime256v1').generateKeys('base64url')
  const flat = Buffer.alloc(65, 4).toString('base64url')
  const bad: Readonly<Record<string, Record<string, unknown>>> = {
    '4 097 characters': device('x'.repeat(4097)),
    'a blank': device('a b'),
    'a letter beyond ASCII': device('é'),
    'a control character': device('a\u0007'),
    'a number': { ...device(''), notification_device_token: 5 },
    '62 hex digits for apns': device(hex(62), 'apns'),
    '202 hex digits for apns': device(hex(202), 'apns'),
    'a path for apns': device(`${hex(64)}/../x`, 'apns'),
    'no JSON for webpush': device('abc', 'webpush'),
    'a plain endpoint for webpush': device('"https://push.example.net"', 'webpush'),
    'no endpoint': web({ endpoint: null }),
    'an endpoint over http': web({ endpoint: 'http://push.example' }),
    'a user in the endpoint': web({ endpoint: 'https://a@push.example' }),
    'no keys': web({ keys: undefined }),
    'a point that is not on the curve': web({ keys: { p256dh: flat, auth: 'A'.repeat(22) } }),
    'a short secret': web({ keys: { p256dh: point, auth: 'AAAA' } }),
  }
  it('are refused when they are none of their platform', async () => {
    const server = await oauthServer()
    for (const [what, fields] of Object.entries(bad)) {
      const json = { ...METADATA, ...fields }
      const answer = await server.send('POST', '/auth/register', { json })
      expect([answer.status, answer.body], what).to.deep.equal([
        400,
        {
          error: 'invalid_client_metadata',
          error_description: 'notification_device_token is invalid',
        },
      ])
    }
  })

  it('must still fit when only the platform changes', async () => {
    const server = await oauthServer()
    const client = await server.register(device('abc'))
    const answer = await change(server, client, { notification_platform: 'apns' })
    expect([answer.status, answer.body['error']]).to.deep.equal([400, 'invalid_client_metadata'])
    expect((await change(server, client, { notification_platform: 'huawei' })).status).to.equal(200)
    const both = device(hex(64), 'apns')
    expect((await change(server, client, both)).status).to.equal(200)
  })
})

eachStore((open) => {
  const serve = async (): Promise<OAuthServer> => {
    const clock = fakeClock()
    const store = await open({ clock })
    return oauthServer({ clock, store, limits: { 'oauth-client': MANY } })
  }

  // notifications.md 16.1 (1), (2)
  describe('devices that the owner may be notified on', () => {
    it('are those of allowed clients with platform and token, newest first', async () => {
      const server = await serve()
      await allowed(server, device('first'))
      server.clock.advance(1000)
      await allowed(server, { notification_platform: 'android' })
      await server.register(device('stranger'))
      await allowed(server, { notification_device_token: 'no-platform' })
      const flagship = await server.register({
        ...device('second', 'huawei'),
        software_id: 'flagship',
      })
      await server.oauth.clients.setFlagship(server.instance, flagship.id, true)
      await server.oauth.clients.issueFlagshipTokens(server.instance, flagship.id)
      const [newest, oldest, ...rest] = await server.oauth.clients.listNotifiable(server.instance)
      expect(rest).to.deep.equal([])
      expect(oldest?.token).to.equal('first')
      const { tokenSince, createdAt, ...facts } = newest as NotifiableDevice
      expect(facts).to.deep.equal({
        clientId: flagship.id,
        platform: 'huawei',
        token: 'second',
        flagship: true,
        softwareId: 'flagship',
      })
      expect(tokenSince).to.equal(createdAt)
    })

    it('name the web app that their client is linked to', async () => {
      const server = await serve()
      server.apps.set('drive', { slug: 'drive', name: 'Drive', permissions: {}, routes: {} })
      const linked = { ...device('t'), software_id: 'registry://drive/stable' }
      const client = await server.register(linked)
      const scope = '@io.svc.apps/drive'
      await server.oauth.clients.issueTokens(server.instance, client.id, scope)
      const [found] = await server.oauth.clients.listNotifiable(server.instance)
      expect(found?.linkedSlug).to.equal('drive')
    })

    it('are no longer those whose client is gone or has no grant left', async () => {
      const server = await serve()
      const gone = await allowed(server, device('gone'))
      const ended = await allowed(server, device('ended'))
      await allowed(server, device('stays'))
      await server.oauth.clients.revoke(server.instance, gone.id, 'test')
      expect(await tokensOf(server)).to.have.members(['ended', 'stays'])
      await server.oauth.clients.revokeGrants(server.instance, 'test')
      expect(await tokensOf(server)).to.deep.equal([])
      await server.oauth.clients.issueTokens(server.instance, ended.id, SCOPE)
      expect(await tokensOf(server)).to.deep.equal(['ended'])
    })

    it('are a hundred at most, the newest', async function () {
      this.timeout(30_000)
      const server = await serve()
      for (let n = 0; n < 102; n += 1) {
        server.clock.advance(1)
        await allowed(server, device(`t${n}`))
      }
      const tokens = await tokensOf(server)
      expect(tokens).to.have.lengthOf(100)
      expect([tokens[0], tokens.at(-1)]).to.deep.equal(['t101', 't2'])
    })

    // notifications.md 16.5, 17
    it('say since when the token is good: when the client gave it last', async () => {
      const server = await serve()
      const client = await allowed(server, device('a'))
      const since = async () =>
        (await server.oauth.clients.listNotifiable(server.instance))[0]?.tokenSince ?? 0
      const first = await since()
      server.clock.advance(60_000)
      await change(server, client, { software_version: '2' })
      expect(await since()).to.equal(first)
      await change(server, client, device('a'))
      const second = await since()
      expect(second - first).to.be.within(60_000, 70_000)
      server.clock.advance(60_000)
      await change(server, client, device('b'))
      expect((await since()) - second).to.be.within(60_000, 70_000)
    })
  })

  // notifications.md 23.6, D98
  describe('subscriptions to web pushes', () => {
    const subscribed = (server: OAuthServer): Promise<Registered> =>
      allowed(server, device(subscription(), 'webpush'))

    it('are left out while the server has another key than they were made with', async () => {
      const server = await serve()
      server.oauth.useWebPushKey('first')
      const client = await subscribed(server)
      const before = await tokensOf(server)
      expect(before).to.have.lengthOf(1)
      server.oauth.useWebPushKey('second')
      await allowed(server, device('phone'))
      expect(await tokensOf(server)).to.deep.equal(['phone'])
      const again = subscription()
      await change(server, client, device(again, 'webpush'))
      expect(await tokensOf(server)).to.have.members(['phone', again])
      server.oauth.useWebPushKey('first')
      expect(await tokensOf(server)).to.deep.equal(['phone'])
    })

    it('keep their key when the client gives the same subscription again', async () => {
      const server = await serve()
      server.oauth.useWebPushKey('first')
      const own = subscription()
      const client = await allowed(server, device(own, 'webpush'))
      server.oauth.useWebPushKey('second')
      await change(server, client, { ...device(own, 'webpush'), software_version: '2' })
      expect(await tokensOf(server)).to.deep.equal([])
      server.oauth.useWebPushKey('first')
      expect(await tokensOf(server)).to.deep.equal([own])
    })

    it('count as made with the present key when they were stored without one', async () => {
      const server = await serve()
      await subscribed(server)
      expect(await tokensOf(server)).to.have.lengthOf(1)
      server.oauth.useWebPushKey('present')
      expect(await tokensOf(server)).to.have.lengthOf(1)
      server.oauth.useWebPushKey('next')
      expect(await tokensOf(server)).to.deep.equal([])
    })

    it('never tell the key to their client', async () => {
      const server = await serve()
      server.oauth.useWebPushKey('first')
      const { id, body, token } = await subscribed(server)
      const read = await server.send('GET', `/auth/register/${id}`, {
        headers: server.bearer(token),
      })
      for (const shown of [body, read.body])
        expect(JSON.stringify(shown)).not.to.match(/webPushKey/i)
    })
  })

  // notifications.md 16.8
  describe('a device token that leads nowhere any more', () => {
    it('goes from every client that holds it, and nothing else goes', async () => {
      const server = await serve()
      const { oauth, instance } = server
      const one = await allowed(server, device('dead'))
      const waiting = await server.register(device('dead'))
      await allowed(server, device('dead', 'huawei'))
      await allowed(server, device('alive'))
      expect(await oauth.clients.clearDeviceToken(instance, 'android', 'dead')).to.equal(2)
      expect(await oauth.clients.clearDeviceToken(instance, 'android', 'dead')).to.equal(0)
      expect(await tokensOf(server)).to.have.members(['dead', 'alive'])
      for (const { id } of [one, waiting]) {
        const client = await oauth.clients.get(instance, id)
        expect(client?.metadata.notification_platform).to.equal('android')
        expect(client?.metadata).not.to.have.property('notification_device_token')
      }
      expect(
        await oauth.clients.scopes(instance, one.id as NotifiableDevice['clientId']),
      ).to.deep.equal([SCOPE])
      const { body } = await server.send('GET', `/auth/register/${one.id}`, {
        headers: server.bearer(one.token),
      })
      expect(body).to.include({ client_secret: one.secret, notification_platform: 'android' })
      expect(body).not.to.have.property('notification_device_token')
      const told = server.logged.filter((line) => line.includes('client.device.cleared'))
      expect(told).to.have.lengthOf(2)
      expect(told.join('')).not.to.include('"dead"')
    })

    it('never takes along one that its client gave in that moment', async () => {
      const server = await serve()
      const { oauth, instance } = server
      const client = await allowed(server, device('token-0'))
      for (let round = 0; round < 20; round += 1) {
        const fresh = `token-${round + 1}`
        const [answer] = await Promise.all([
          change(server, client, { notification_device_token: fresh }),
          oauth.clients.clearDeviceToken(instance, 'android', `token-${round}`),
        ])
        // The client came second: told so, it tries again.
        if (answer.status === 409) await change(server, client, device(fresh))
        expect(await tokensOf(server)).to.deep.equal([fresh])
      }
    })

    it('is cleared once by many at once', async () => {
      const server = await serve()
      const { oauth, instance } = server
      for (let n = 0; n < 3; n += 1) await allowed(server, device('dead'))
      const counts = await Promise.all(
        Array.from({ length: 20 }, () =>
          oauth.clients.clearDeviceToken(instance, 'android', 'dead'),
        ),
      )
      expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(3)
    })
  })
})
