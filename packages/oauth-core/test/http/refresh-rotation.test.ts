import { eachStore, fakeClock, type FakeClock } from '@svc/testkit'
import type { Store } from '@svc/store'
import { expect } from 'chai'
import type { OAuthServer } from '../oauth-server.ts'
import { claimsOf, type Tokens, tokensOf } from '../client-steps.ts'
import { BASE, resourceServer } from '../resource-server.ts'
import { MCP } from '../sample-resources.ts'

const DAY_MS = 86_400_000
/** Of both processes. */
const keys = [{ kid: 'test', key: Buffer.alloc(32, 7) }]

eachStore((open) => {
  describe('rotating refresh tokens', () => {
    let clock: FakeClock
    let store: Store
    let server: OAuthServer
    let client: string
    let first: Tokens
    let outcomes: string[]
    let ended: { grantId: string; reason: string }[]

    beforeEach(async () => {
      clock = fakeClock()
      clock.stop()
      store = await open({ clock })
      server = await resourceServer({ store, clock, keys, resources: [MCP] })
      outcomes = []
      ended = []
      server.oauth.on('token.rotated', ({ outcome }) => outcomes.push(outcome))
      server.oauth.on('grant.revoked', ({ grantId, reason }) => ended.push({ grantId, reason }))
      client = await server.publicClient()
      first = await server.connect(client, { duration: '30d' })
    })

    const rotate = async (token: string): Promise<Tokens> =>
      tokensOf(await server.refresh(client, token))
    const use = (token: string) =>
      server.send('GET', '/mcp', { headers: { authorization: `Bearer ${token}` } })

    async function expectRefused(token: string, by = client): Promise<void> {
      const answer = await server.refresh(by, token)
      expect([answer.status, answer.body['error']]).to.deep.equal([400, 'invalid_grant'])
    }

    it('change with every refresh, and keep their grant', async () => {
      const second = await rotate(first.refresh_token)
      const third = await rotate(second.refresh_token)
      const all = [first, second, third].map(({ refresh_token }) => refresh_token)
      expect(new Set(all).size).to.equal(3)
      expect(new Set(all.map((one) => one.slice(0, 22))).size).to.equal(1)
      expect(outcomes).to.deep.equal(['rotated', 'rotated'])
    })

    it('come again, the same, to a client that lost the answer and slept for a day', async () => {
      const second = await rotate(first.refresh_token)
      clock.advance(DAY_MS)
      for (let i = 0; i < 3; i += 1) {
        const again = await rotate(first.refresh_token)
        expect(again.refresh_token).to.equal(second.refresh_token)
        expect(again.access_token).not.to.equal(second.access_token)
      }
      await rotate(second.refresh_token)
      expect(ended).to.deep.equal([])
    })

    it('come again for 30 s once the successor was presented, and end the grant after that', async () => {
      const second = await rotate(first.refresh_token)
      const third = await rotate(second.refresh_token)
      clock.advance(29_999)
      expect((await rotate(first.refresh_token)).refresh_token).to.equal(second.refresh_token)
      expect((await rotate(second.refresh_token)).refresh_token).to.equal(third.refresh_token)
      clock.advance(1)
      await expectRefused(first.refresh_token)
      expect(ended.map(({ reason }) => reason)).to.deep.equal(['refresh_reuse'])
      expect(outcomes.at(-1)).to.equal('reuse')
      await expectRefused(third.refresh_token)
      await expectRefused(first.refresh_token)
      expect(ended).to.have.lengthOf(1)
      expect((await use(third.access_token)).status).to.equal(401)
      expect(
        server.logged.filter((line) => line.startsWith('warn refresh.reuse')),
      ).to.have.lengthOf(1)
    })

    it('come again for 30 s once an access token was used that came with the successor', async () => {
      // The first call makes a guard's memory of the grant: of before the refresh.
      expect((await use(first.access_token)).status).to.equal(200)
      const second = await rotate(first.refresh_token)
      clock.advance(DAY_MS / 48)
      expect((await use(first.access_token)).status).to.equal(200)
      clock.advance(60_000)
      // A token of before says nothing about who has the successor.
      const again = await rotate(first.refresh_token)
      expect((await use(again.access_token)).status).to.equal(200)
      clock.advance(29_999)
      await rotate(first.refresh_token)
      clock.advance(1)
      await expectRefused(first.refresh_token)
      await expectRefused(second.refresh_token)
      expect(ended.map(({ reason }) => reason)).to.deep.equal(['refresh_reuse'])
    })

    it('end nothing when they are guessed, altered or of somebody else', async () => {
      const grant = first.refresh_token.slice(0, 22)
      const bytes = Buffer.from(first.refresh_token.slice(22), 'base64url')
      for (let i = 0; i < 200; i += 1) {
        const altered = Buffer.from(bytes)
        const at = i % bytes.length
        altered[at] = (altered[at] ?? 0) ^ (1 << (i % 8))
        await expectRefused(`${grant}${altered.toString('base64url')}`)
      }
      for (const token of [grant, `${grant}x`, `${first.refresh_token}A`, 'x']) {
        await expectRefused(token)
      }
      const other = await server.publicClient()
      const second = await rotate(first.refresh_token)
      await rotate(second.refresh_token)
      clock.advance(60_000)
      // Too old, and shown by another client: that is none of the owner's grant.
      await expectRefused(first.refresh_token, other)
      expect(ended).to.deep.equal([])
      const bob = await server.oauth.instances.create({ domain: 'bob.example.com' })
      const form = { client_id: client, grant_type: 'refresh_token' }
      const elsewhere = await server.send('POST', '/auth/access_token', {
        host: bob.domain,
        form: { ...form, refresh_token: first.refresh_token },
      })
      expect(elsewhere.status).to.equal(401)
      expect(ended).to.deep.equal([])
    })

    it('go on over a rotation of their keys, within the time of a repeat too', async () => {
      const second = await rotate(first.refresh_token)
      await server.oauth.keyring.rotate(server.instance, { kind: 'refresh' })
      expect((await rotate(first.refresh_token)).refresh_token).to.equal(second.refresh_token)
      const third = await rotate(second.refresh_token)
      expect((await rotate(second.refresh_token)).refresh_token).to.equal(third.refresh_token)
      clock.advance(29 * DAY_MS)
      await rotate(third.refresh_token)
      await expectRefused(first.refresh_token)
      expect(ended.map(({ reason }) => reason)).to.deep.equal(['refresh_reuse'])
    })

    it('survive a new passphrase', async () => {
      const changes = await server.oauth.keyring.replaceSessionKey(server.instance)
      await store.write(changes)
      await server.oauth.keyring.replaced(server.instance)
      await rotate(first.refresh_token)
    })

    it('are the same for 50 refreshes at once, and for one that comes later', async () => {
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => rotate(first.refresh_token)),
      )
      const [one = ''] = new Set(answers.map(({ refresh_token }) => refresh_token))
      for (const { refresh_token } of answers) expect(refresh_token).to.equal(one)
      expect(new Set(answers.map(({ access_token }) => access_token)).size).to.equal(50)
      expect(outcomes.filter((outcome) => outcome === 'rotated')).to.have.lengthOf(1)
      expect((await rotate(first.refresh_token)).refresh_token).to.equal(one)
    })

    it('are refused with 429 after 60 a minute, but what is no good stays invalid_grant', async () => {
      let { refresh_token: token } = first
      for (let i = 0; i < 60; i += 1) token = (await rotate(token)).refresh_token
      const answer = await server.refresh(client, token)
      expect(answer.status).to.equal(429)
      expect(answer.headers['retry-after']).to.match(/^[1-9]/)
      await expectRefused(`${token.slice(0, 22)}x`)
      clock.advance(60_000)
      await rotate(token)
    })

    it('remember eight that were replaced; an older one ends the grant', async () => {
      const tokens = [first.refresh_token]
      for (let i = 0; i < 9; i += 1) {
        tokens.push((await rotate(tokens.at(-1) ?? '')).refresh_token)
      }
      expect((await rotate(tokens[1] ?? '')).refresh_token).to.equal(tokens[2])
      await expectRefused(tokens[0] ?? '')
      expect(ended.map(({ reason }) => reason)).to.deep.equal(['refresh_reuse'])
    })

    it('end with the time that the owner chose', async () => {
      let token = first.refresh_token
      for (let day = 0; day < 29; day += 1) {
        clock.advance(DAY_MS)
        token = (await rotate(token)).refresh_token
      }
      clock.advance(DAY_MS - 2000)
      const last = await rotate(token)
      expect(last.expires_in).to.be.within(1, 2)
      clock.advance(2000)
      await expectRefused(last.refresh_token)
      expect(ended).to.deep.equal([])
    })

    it('are ended by a revocation of the current and of a replaced one', async () => {
      const second = await rotate(first.refresh_token)
      const form = { client_id: client, token: first.refresh_token }
      expect((await server.send('POST', '/auth/revoke', { form })).status).to.equal(200)
      await expectRefused(second.refresh_token)
      expect(ended.map(({ reason }) => reason)).to.deep.equal(['client'])
    })

    it('are refused, and nothing else happens, once the resource is gone', async () => {
      const off = await resourceServer({ store, clock, keys, resources: [], isSecondProcess: true })
      const answer = await off.refresh(client, first.refresh_token)
      expect([answer.status, answer.body['error']]).to.deep.equal([400, 'invalid_grant'])
      expect(claimsOf(first.access_token)['aud']).to.equal(`${BASE}/mcp`)
      await rotate(first.refresh_token)
    })
  })
})
