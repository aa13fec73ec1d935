import { anyStore } from '@svc/testkit'
import { expect } from 'chai'
import * as jose from 'jose'
import { findGrant, listGrants } from '../../src/engine/grant.ts'
import { signJwt } from '../../src/tokens/jwt.ts'
import type { Answer, Registered } from '../oauth-server.ts'
import { type TokenServer, tokenServer } from './token-server.ts'

// The refusals of this endpoint: cors.test.ts and routes.test.ts.
anyStore((open) => {
  describe('POST /auth/revoke', () => {
    let server: TokenServer
    let client: Registered

    beforeEach(async () => {
      server = await tokenServer({ openStore: (clock) => open({ clock }) })
      client = await server.register()
    })

    async function tokens(of: Registered = client) {
      const { body } = await server.exchange(of, await server.mint(of))
      const accessToken = String(body['access_token'])
      const gid = String(jose.decodeJwt(accessToken)['gid'])
      return { accessToken, refreshToken: String(body['refresh_token']), gid }
    }

    async function revoke(of: Registered, token: string, more: object = {}): Promise<void> {
      const form = { client_id: of.id, client_secret: of.secret, token, ...more }
      const answer: Answer = await server.send('POST', '/auth/revoke', { form })
      expect([answer.status, answer.text]).to.deep.equal([200, ''])
      expect(answer.headers).to.include({ 'cache-control': 'no-store' })
      expect(answer.headers).not.to.have.property('content-type')
    }

    async function isAlive({ refreshToken, gid }: { refreshToken: string; gid: string }) {
      const grant = await findGrant(server, server.instance, gid)
      const { status } = await server.refresh(client, refreshToken)
      expect(status === 200).to.equal(grant !== undefined)
      return grant !== undefined
    }

    for (const kind of ['refreshToken', 'accessToken'] as const) {
      it(`ends the grant of a live ${kind} and no other`, async () => {
        const [mine, other] = [await tokens(), await tokens()]
        const thief = await server.register({ client_name: 'Thief' })
        await revoke(thief, mine[kind])
        expect(await isAlive(mine), 'of another client').to.equal(true)
        await revoke(client, mine[kind], { token_type_hint: 'nonsense' })
        expect(await isAlive(mine)).to.equal(false)
        expect(await isAlive(other)).to.equal(true)
        await revoke(client, mine[kind])
        const { instance } = server
        const event = { instance, grantId: mine.gid, clientId: client.id, reason: 'client' }
        expect(server.eventsOf('grant.revoked')).to.deep.equal([event])
      })
    }

    it('answers 200 to what is no token, and ends nothing', async () => {
      const code = await server.mint(client)
      const { accessToken } = await tokens()
      server.clock.advance(25 * 3_600_000)
      const grants = () => listGrants(server, server.instance, client.id)
      const before = await grants()
      expect(before).to.have.lengthOf(1)
      for (const token of ['x'.repeat(65), 'a.b.c', code, client.token, accessToken]) {
        await revoke(client, token)
      }
      expect(await grants()).to.deep.equal(before)
    })

    it('answers genuine and forged tokens of apps and konnectors alike', async () => {
      const key = await server.oauth.keyring.current(server.instance, 'session')
      const iat = Math.floor(server.clock.now() / 1000)
      for (const aud of ['app', 'konn']) {
        const claims = { iss: server.instance.domain, aud, sub: 'home', iat, exp: iat + 60 }
        const genuine = signJwt(key, claims)
        const [head, , mac] = genuine.split('.')
        const payload = jose.base64url.encode(JSON.stringify({ ...claims, sub: 'notes' }))
        await revoke(client, genuine)
        await revoke(client, `${head}.${payload}.${mac}`)
      }
    })

    it('counts wrong secrets together with the token endpoint, per address', async () => {
      server = await tokenServer({
        openStore: (clock) => open({ clock }),
        limits: { token: { limit: 3, windowMs: 60_000 } },
        trustProxy: 1,
      })
      client = await server.register()
      const mine = await tokens()
      const at = (address: string) => ({ headers: { 'x-forwarded-for': address } })
      const wrong = { client_id: client.id, client_secret: 'wrong' }
      const form = { ...wrong, token: 'x' }
      await server.send('POST', '/auth/revoke', { form, ...at('198.51.100.1') })
      const refresh = { grant_type: 'refresh_token', refresh_token: mine.refreshToken }
      for (let i = 0; i < 2; i += 1)
        await server.token(client, { ...refresh, ...wrong }, at('198.51.100.1'))
      const there = await server.token(client, refresh, at('198.51.100.1'))
      expect([there.status, there.body['error']]).to.deep.equal([401, 'invalid_client'])
      expect((await server.token(client, refresh, at('198.51.100.2'))).status).to.equal(200)
      server.clock.advance(60_001)
      expect((await server.token(client, refresh, at('198.51.100.1'))).status).to.equal(200)
    })
  })
})
