import {
  type BrowserResponse,
  eachStore,
  type RelyingParty,
  timeBudget,
  scaledLimit,
} from '@svc/testkit'
import { expect } from 'chai'
import { type JwtClaims, signJwt } from '../../src/tokens/jwt.ts'
import { allow, type ConsentServer, DRIVE, startConsentServer } from './consent-server.ts'

const MISSING = ['Bearer realm="alice.example.com"', 'missing_token'] as const
const INVALID = ['Bearer error="invalid_token"', 'invalid_token'] as const
const EXPIRED = [
  'Bearer error="invalid_token", error_description="The access token expired"',
  'invalid_token',
] as const
const FORBIDDEN = ['Bearer error="insufficient_scope"', 'insufficient_scope'] as const

function expectRefusal(
  answer: BrowserResponse,
  status: number,
  [challenge, error]: readonly [string, string],
): void {
  expect(answer.status).to.equal(status)
  expect(answer.headers['www-authenticate']).to.equal(challenge)
  expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8')
  expect(answer.headers['cache-control']).to.equal('no-store')
  expect(answer.text).to.equal(`{"error":"${error}"}`)
}

eachStore((open, name) => {
  describe('guard', () => {
    let server: ConsentServer
    let party: RelyingParty
    let token: string

    beforeEach(async () => {
      server = await startConsentServer({ openStore: (clock) => open({ clock }) })
      party = await server.client()
      token = (await allow(server, party)).access_token
    })

    const clientId = (): string => party.client.client_id

    async function sign(fields: Partial<JwtClaims> = {}, kind: 'access' | 'session' = 'access') {
      const key = await server.oauth.keyring.current(server.alice, kind)
      const iat = Math.floor(server.clock.now() / 1000)
      const dates = { iat, exp: iat + 86_400 }
      const [, payload = ''] = token.split('.')
      // Our own access token: its claims are these.
      const own = JSON.parse(Buffer.from(payload, 'base64url').toString()) as JwtClaims
      return signJwt(key, { ...own, ...dates, ...fields })
    }

    it('lets a token with the permission through, and says who it is', async () => {
      const answer = await server.call('/files', { token })
      expect(answer.status).to.equal(200)
      expect(answer.json()).to.deep.equal({
        kind: 'access',
        owner: `io.svc.oauth.clients/${clientId()}`,
      })
      expect((await server.call('/files', { token, method: 'HEAD' })).status).to.equal(200)
      expect((await server.call('/files/any', { token })).status).to.equal(200)
    })

    it('answers 401 without a token', async () => {
      expectRefusal(await server.call('/files'), 401, MISSING)
      expectRefusal(await server.call('/files/any'), 401, MISSING)
    })

    it('reads no token from the query', async () => {
      for (const name of ['access_token', 'bearer_token']) {
        expectRefusal(await server.call(`/files?${name}=${token}`), 401, MISSING)
      }
    })

    it('reads no token from the body', async () => {
      const { origin } = server.alice
      const answer = await server
        .browser()
        .post(`${origin}/files`, { access_token: token }, { mode: 'cors' })
      expectRefusal(answer, 401, MISSING)
    })

    it('answers 403 when the permission is missing', async () => {
      expectRefusal(await server.call('/files', { token, method: 'POST' }), 403, FORBIDDEN)
    })

    it('leaves documents to the handler', async () => {
      const scope = 'io.svc.files:GET:one'
      const { access_token: narrow } = await allow(server, party, { scope })
      expect((await server.call('/files', { token: narrow })).status).to.equal(200)
      expect((await server.call('/files/one', { token: narrow })).status).to.equal(200)
      expectRefusal(await server.call('/files/two', { token: narrow }), 403, FORBIDDEN)
    })

    it('answers 401 with its reason from 24 h on', async () => {
      server.clock.advance(86_390_000)
      expect((await server.call('/files', { token })).status).to.equal(200)
      server.clock.advance(11_000)
      expectRefusal(await server.call('/files', { token }), 401, EXPIRED)
    })

    it('ignores forbidden rules', async () => {
      const scope = 'io.svc.files:GET io.svc.apps'
      expectRefusal(
        await server.call('/apps', { method: 'POST', token: await sign({ scope }) }),
        403,
        FORBIDDEN,
      )
    })

    describe('with an app token', () => {
      let appToken: string
      const session = 'session-of-the-app'
      beforeEach(async () => {
        server.installed.set('drive', DRIVE)
        server.pages.live.add(session)
        appToken = await server.oauth.appTokens.issue(server.alice, DRIVE, session)
      })

      it('answers in the session it belongs to', async () => {
        const answer = await server.call('/files', { token: appToken, session })
        expect(answer.json()).to.deep.equal({ kind: 'app', owner: 'io.svc.apps/drive' })
        const install = await server.call('/apps', { method: 'POST', token: appToken, session })
        expect(install.status).to.equal(200)
      })

      it('answers 401 as soon as the session ended', async () => {
        expect((await server.call('/files', { token: appToken, session })).status).to.equal(200)
        server.pages.live.delete(session)
        expectRefusal(await server.call('/files', { token: appToken, session }), 401, INVALID)
      })

      it('answers 401 when the app was uninstalled', async () => {
        server.installed.clear()
        expectRefusal(await server.call('/files', { token: appToken, session }), 401, INVALID)
      })

      it('answers 401 after the session keys were replaced', async () => {
        const { keyring } = server.oauth
        await server.store.write(await keyring.replaceSessionKey(server.alice))
        await keyring.replaced(server.alice)
        expectRefusal(await server.call('/files', { token: appToken, session }), 401, INVALID)
      })

      it('answers 500 and logs why before useSessions', async () => {
        const half = await startConsentServer({ sameAs: server, sessions: null })
        const answer = await half.call('/files', { token: appToken, session })
        expect(answer.status).to.equal(500)
        expect(answer.json()).to.deep.equal({ error: 'internal_error' })
        expect(half.logged.join('\n')).to.include('guard.sessions_missing')
        expect((await half.call('/files', { token })).status).to.equal(200)
        await half.close()
      })
    })

    describe('when something ends', () => {
      const ends: readonly (readonly [string, () => Promise<unknown>])[] = [
        [
          'its client is revoked',
          () => server.oauth.clients.revoke(server.alice, clientId(), 'test'),
        ],
        [
          'its client deletes itself',
          async () => {
            const { client_id, registration_access_token } = party.client
            const answer = await server.call(`/auth/register/${client_id}`, {
              method: 'DELETE',
              token: String(registration_access_token),
            })
            expect(answer.status).to.equal(204)
          },
        ],
        ['its client revokes it', () => party.revoke(token)],
        [
          'the keys are rotated away',
          () => server.oauth.keyring.rotate(server.alice, { revoke: true }),
        ],
      ]
      for (const [what, end] of ends) {
        it(`refuses at once after ${what}`, async () => {
          expect((await server.call('/files', { token })).status).to.equal(200)
          await end()
          expectRefusal(await server.call('/files', { token }), 401, INVALID)
        })
      }

      it('refuses one grant and leaves the other', async () => {
        const { access_token: other } = await allow(server, party)
        await party.revoke(token)
        expectRefusal(await server.call('/files', { token }), 401, INVALID)
        expect((await server.call('/files', { token: other })).status).to.equal(200)
      })
    })

    if (name === 'Redis') {
      describe('in another process', () => {
        let second: ConsentServer
        beforeEach(async () => {
          const { clock, store } = server
          const other = await open({ clock, sameAs: store })
          second = await startConsentServer({ store: other, clock, sameAs: server })
          expect((await second.call('/files', { token })).status).to.equal(200)
        })
        afterEach(() => second.close())

        /** How long the second process goes on accepting. Milliseconds. */
        async function refusedAfter(): Promise<number> {
          const start = performance.now()
          for (;;) {
            const answer = await second.call('/files', { token })
            const elapsedMs = performance.now() - start
            if (answer.status === 401) return elapsedMs
            expect(elapsedMs, 'still accepted, milliseconds').to.be.below(timeBudget(3000))
          }
        }

        it('a revoked client is refused within a second', async () => {
          await server.oauth.clients.revoke(server.alice, clientId(), 'test')
          expect(await refusedAfter()).to.be.below(scaledLimit(1000))
        })

        it('a revoked grant is refused within a second', async () => {
          await party.revoke(token)
          expect(await refusedAfter()).to.be.below(scaledLimit(1000))
        })

        it('keys rotated away are refused within a second', async () => {
          await server.oauth.keyring.rotate(server.alice, { revoke: true })
          expect(await refusedAfter()).to.be.below(scaledLimit(1000))
        })

        it('a token issued there after a rotation is accepted here at once', async () => {
          await server.oauth.keyring.rotate(server.alice)
          const { access_token: fresh } = await allow(server, party)
          expect((await second.call('/files', { token: fresh })).status).to.equal(200)
        })
      })
    }
  })
})
