import { eachStore, type FakeClock, fakeClock, type RelyingParty } from '@svc/testkit'
import type { Store } from '@svc/store'
import { expect } from 'chai'
import type { Context } from 'koa'
import { OAuthError } from '../../src/errors.ts'
import { allow, type ConsentServer, DRIVE, startConsentServer } from './consent-server.ts'

eachStore((open, name) => {
  describe('connections that outlive a request', () => {
    let clock: FakeClock
    let server: ConsentServer
    /** Another process, where there can be one. */
    let other: ConsentServer
    let party: RelyingParty

    beforeEach(async () => {
      clock = fakeClock()
      const store: Store = await open({ clock })
      server = await startConsentServer({ store, clock })
      party = await server.client()
      other = server
      if (name !== 'Redis') return
      const second = await open({ clock, sameAs: store })
      other = await startConsentServer({ store: second, clock, sameAs: server })
      // What it subscribed to before is effective by then.
      await second.bus.subscribe('last', () => {})
    })

    /** A request of the session, as far as it is looked at. */
    function contextOf(session: string | undefined): Context {
      const state = { instance: server.alice }
      const req = { headers: {}, socket: { remoteAddress: '127.0.0.1' } }
      const cookie = session === undefined ? '' : `session=${session}`
      return { state, req, get: () => cookie } as unknown as Context
    }

    describe('authenticateToken', () => {
      it('tells whom an access token speaks for, and until when', async () => {
        const { access_token: token } = await allow(server, party)
        const access = await server.oauth.authenticateToken(contextOf(undefined), token)
        const { client_id: id } = party.client
        expect(access).to.include({ kind: 'access', audience: 'access', subject: id })
        expect(access.grantId).to.be.a('string')
        expect(access.expiresAt - clock.now()).to.be.within(86_390_000, 86_400_000)
        expect(access.allows('GET', 'io.svc.files')).to.equal(true)
      })

      it('tells whom an app token speaks for, in its session alone', async () => {
        server.installed.set('drive', DRIVE)
        server.pages.live.add('here').add('elsewhere')
        const token = await server.oauth.appTokens.issue(server.alice, DRIVE, 'here')
        const access = await server.oauth.authenticateToken(contextOf('here'), token)
        expect(access).to.include({ audience: 'app', subject: 'drive', sessionId: 'here' })
        expect(access).to.not.have.property('grantId')
        for (const session of ['elsewhere', undefined]) {
          expect(await refusal(token, session)).to.equal('invalid_token')
        }
      })

      async function refusal(token: string, session?: string): Promise<string> {
        try {
          await server.oauth.authenticateToken(contextOf(session), token)
          return 'accepted'
        } catch (error) {
          if (error instanceof OAuthError && error.status === 401) return error.code
          throw error
        }
      }
    })

    describe('onRevoked', () => {
      const ends: readonly (readonly [string, () => Promise<unknown>, () => string])[] = [
        [
          'session',
          () => server.oauth.revoked(server.alice, 'session', ['one', 'two']),
          () => 'two',
        ],
        ['app', () => server.oauth.revoked(server.alice, 'app', ['drive']), () => 'drive'],
        [
          'client',
          () => server.oauth.clients.revoke(server.alice, party.client.client_id, 'test'),
          () => party.client.client_id,
        ],
        [
          'instance',
          () => server.oauth.instances.update(server.alice.id, { status: 'blocked' }),
          () => server.alice.id,
        ],
        [
          'instance',
          () => server.oauth.keyring.rotate(server.alice, { revoke: true }),
          () => server.alice.id,
        ],
      ]
      for (const [kind, end, id] of ends) {
        it(`hears of what happens to the ${kind}, here and elsewhere`, async () => {
          const heard = Promise.all([server, other].map((each) => hear(each, kind, id())))
          await end()
          for (const stop of await heard) stop()
        })
      }

      it('is told of the end of a grant', async () => {
        const { access_token: token } = await allow(server, party)
        const { grantId = '' } = await server.oauth.authenticateToken(contextOf(undefined), token)
        const heard = hear(other, 'grant', grantId)
        await party.revoke(token)
        const stop = await heard
        stop()
      })

      /** Resolves when a process hears of this end. */
      function hear(process: ConsentServer, kind: string, id: string): Promise<() => void> {
        return new Promise((resolve) => {
          const stop = process.oauth.onRevoked({
            onRevoked: (revocation) => {
              const isIt = revocation.kind === kind && revocation.id === id
              if (isIt && revocation.instanceId === process.alice.id) resolve(stop)
            },
            onGap: () => {},
          })
        })
      }
    })
  })
})
