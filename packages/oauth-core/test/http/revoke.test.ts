import { anyStore, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import * as jose from 'jose'
import { signJwt } from '../../src/tokens/jwt.ts'
import {
  type Answer,
  type Form,
  startTokenServer,
  type TestClient,
  type TokenServer,
} from './token-server.ts'

anyStore((open) => {
  describe('POST /auth/revoke', () => {
    let server: TokenServer
    let client: TestClient

    beforeEach(async () => {
      const clock = fakeClock()
      server = await startTokenServer({ store: await open({ clock }), clock })
      client = await server.register()
    })
    afterEach(() => server.close())

    async function tokens(of: TestClient = client) {
      const { body } = await server.exchange(of, await server.mint(of))
      const accessToken = String(body['access_token'])
      const gid = String(jose.decodeJwt(accessToken)['gid'])
      return { accessToken, refreshToken: String(body['refresh_token']), gid }
    }

    function revoke(of: TestClient, form: Form): Promise<Answer> {
      const credentials = { client_id: of.client.id, client_secret: of.secret }
      return server.post('/auth/revoke', { ...credentials, ...(form as object) })
    }

    function expectDone(answer: Answer): void {
      expect(answer.status).to.equal(200)
      expect(answer.text).to.equal('')
      expect(answer.headers.get('content-type')).to.equal(null)
      expect(answer.headers.get('cache-control')).to.equal('no-store')
    }

    async function isAlive({ refreshToken, gid }: { refreshToken: string; gid: string }) {
      const grant = await server.engine.findGrant(server.instance, gid)
      const { status } = await server.refresh(client, refreshToken)
      expect(status === 200).to.equal(grant !== undefined)
      return grant !== undefined
    }

    for (const kind of ['refreshToken', 'accessToken'] as const) {
      it(`ends the grant of a live ${kind} and no other`, async () => {
        const [mine, other] = [await tokens(), await tokens()]
        expectDone(await revoke(client, { token: mine[kind] }))
        expect(await isAlive(mine)).to.equal(false)
        expect(await isAlive(other)).to.equal(true)
        expectDone(await revoke(client, { token: mine[kind] }))
        const revoked = server.events.filter(({ name }) => name === 'grant.revoked')
        expect(revoked.map(({ event }) => event)).to.deep.equal([
          {
            instance: server.instance,
            grantId: mine.gid,
            clientId: client.client.id,
            reason: 'client',
          },
        ])
      })

      it(`answers a foreign ${kind} alike and leaves it alive`, async () => {
        const mine = await tokens()
        const thief = await server.register({ client_name: 'Thief' })
        expectDone(await revoke(thief, { token: mine[kind] }))
        expect(await isAlive(mine)).to.equal(true)
      })
    }

    it('does not care about the hint', async () => {
      for (const hint of ['access_token', 'refresh_token', 'nonsense', '']) {
        const mine = await tokens()
        expectDone(await revoke(client, { token: mine.refreshToken, token_type_hint: hint }))
        expect(await isAlive(mine)).to.equal(false)
      }
    })

    it('accepts HTTP Basic', async () => {
      const mine = await tokens()
      const basic = btoa(`${client.client.id}:${client.secret}`)
      const headers = { Authorization: `Basic ${basic}` }
      expectDone(await server.post('/auth/revoke', { token: mine.refreshToken }, { headers }))
      expect(await isAlive(mine)).to.equal(false)
    })

    const nothing: readonly (readonly [string, () => Promise<string> | string])[] = [
      ['an unknown token', () => 'x'.repeat(65)],
      ['a malformed JWT', () => 'a.b.c'],
      ['an unused code', () => server.mint(client)],
      ['a registration token', () => client.registrationToken],
      [
        'an expired access token',
        async () => {
          const { accessToken } = await tokens()
          server.clock.advance(25 * 3_600_000)
          return accessToken
        },
      ],
    ]
    for (const [what, make] of nothing) {
      it(`answers 200 for ${what} and ends nothing`, async () => {
        const token = await make()
        const before = await server.engine.listGrants(server.instance, client.client.id)
        expectDone(await revoke(client, { token }))
        const after = await server.engine.listGrants(server.instance, client.client.id)
        expect(after).to.deep.equal(before)
      })
    }

    for (const aud of ['app', 'konn']) {
      it(`answers a genuine and a forged token of "${aud}" alike`, async () => {
        const key = await server.keyring.current(server.instance, 'session')
        const iat = Math.floor(server.clock.now() / 1000)
        const claims = { iss: server.instance.domain, aud, sub: 'home', iat, exp: iat + 60 }
        const genuine = signJwt(key, claims)
        const [head, , mac] = genuine.split('.')
        const payload = jose.base64url.encode(JSON.stringify({ ...claims, sub: 'notes' }))
        expectDone(await revoke(client, { token: genuine }))
        expectDone(await revoke(client, { token: `${head}.${payload}.${mac}` }))
      })
    }

    const refusals: readonly (readonly [string, () => Form, number, string])[] = [
      ['no client_id', () => ({ token: 'x' }), 400, 'invalid_request'],
      ['no secret', () => ({ client_id: client.client.id, token: 'x' }), 401, 'invalid_client'],
      [
        'a wrong secret',
        () => ({ client_id: client.client.id, client_secret: 'no', token: 'x' }),
        401,
        'invalid_client',
      ],
      [
        'an unknown client',
        () => ({ client_id: 'nobody', client_secret: 'x', token: 'x' }),
        401,
        'invalid_client',
      ],
      [
        'no token',
        () => ({ client_id: client.client.id, client_secret: client.secret }),
        400,
        'invalid_request',
      ],
      ['a parameter twice', () => 'token=a&token=b', 400, 'invalid_request'],
    ]
    for (const [what, form, status, error] of refusals) {
      it(`answers ${status} ${error} for ${what}`, async () => {
        const answer = await server.post('/auth/revoke', form())
        expect([answer.status, answer.body['error']]).to.deep.equal([status, error])
      })
    }

    it('counts wrong secrets together with the token endpoint, per address', async () => {
      await server.close()
      const clock = fakeClock()
      const wrongSecrets = { limit: 3, windowMs: 60_000 }
      server = await startTokenServer({ store: await open({ clock }), clock, wrongSecrets })
      client = await server.register()
      const mine = await tokens()
      const at = (address: string) => ({ headers: { 'X-Test-Address': address } })
      const wrong = { client_id: client.client.id, client_secret: 'wrong' }
      await server.post('/auth/revoke', { ...wrong, token: 'x' }, at('198.51.100.1'))
      for (let i = 0; i < 2; i += 1) {
        const form = { ...wrong, grant_type: 'refresh_token', refresh_token: 'x' }
        await server.post('/auth/access_token', form, at('198.51.100.1'))
      }
      const refresh = { grant_type: 'refresh_token', refresh_token: mine.refreshToken }
      const there = await server.token(client, refresh, at('198.51.100.1'))
      expect([there.status, there.body['error']]).to.deep.equal([401, 'invalid_client'])
      expect((await server.token(client, refresh, at('198.51.100.2'))).status).to.equal(200)
      clock.advance(60_001)
      expect((await server.token(client, refresh, at('198.51.100.1'))).status).to.equal(200)
    })
  })
})
