import { randomBytes } from 'node:crypto'
import { HOUR_MS, type SealingKey } from '@svc/platform'
import { eachStore } from '@svc/testkit'
import type { Store } from '@svc/store'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import type { AccountDocument } from '../../../src/accounts/account.ts'
import { ConnectorError } from '../../../src/connector-error.ts'
import type { ConnectorsOptions } from '../../../src/options.ts'
import { connect, refusalOf } from '../../support/flow-steps.ts'
import {
  type RefreshAnswer,
  type RefreshServer,
  startRefresh,
  tokenIn,
} from '../../support/refresh-server.ts'
import { createStoredAccounts } from '../../../src/accounts/account-store.ts'
import { type WatchedAccounts, watchedAccounts } from '../../support/watched-accounts.ts'

describe('credentials of accounts', () => {
  eachStore((open) => {
    let store: Store
    let accounts: WatchedAccounts
    let server: RefreshServer
    let account: AccountDocument
    const servers: RefreshServer[] = []

    async function start(
      connectors: Partial<ConnectorsOptions> = {},
      keys?: readonly SealingKey[],
    ): Promise<RefreshServer> {
      const started = await startRefresh({
        store,
        connectors: { accounts, ...connectors },
        ...(keys && { oauth: { keys } }),
        ...(servers[0] && { sameAs: servers[0] }),
      })
      servers.push(started)
      return started
    }
    beforeEach(async () => {
      store = await open()
      accounts = watchedAccounts(createStoredAccounts(store))
      server = await start()
      await server.putImported()
      account = await server.importBank({ scope: 'files' })
    })
    afterEach(async () => {
      for (const each of servers.splice(0).toReversed()) await each.close()
    })

    const asked = (): number => server.provider.requestsOf('token').length
    async function refusal(work: Promise<unknown>): Promise<[string, string | undefined]> {
      try {
        await work
      } catch (error) {
        if (error instanceof ConnectorError) return [error.code, error.description]
        throw error
      }
      throw new Error('it was not refused')
    }

    describe('for a connector that is about to run (D38)', () => {
      it('have the names that its developer configured by hand', async () => {
        expect(await server.fields(account._id)).to.deep.equal({
          access_token: server.issued[0]?.accessToken,
          token_type: 'Bearer',
          scope: 'files',
        })
        expect(asked()).to.equal(0)
      })

      it('are refreshed when the token has ended or is about to, or when there is none', async () => {
        const ended = await server.importBank({ expiresAt: Date.now() - HOUR_MS })
        const ending = await server.importBank({ expiresAt: Date.now() + 30_000 })
        const tokens = server.provider.grants.issue('client-1', '')
        const bare = await server.connectors.importAccount(server.alice, {
          accountType: 'bank',
          refreshToken: tokens.refreshToken,
        })
        for (const { _id } of [ended, ending, bare]) {
          const { access_token } = await server.fields(_id)
          expect(server.provider.grants.isLive(String(access_token))).to.equal(true)
          expect((await server.stored(_id)).oauth?.refresh_seq).to.equal(1)
        }
        expect(asked()).to.equal(3)
      })

      it('are those there are while the provider is down, and none once they ended', async () => {
        const ending = await server.importBank({ expiresAt: Date.now() + 30_000 })
        const ended = await server.importBank({ expiresAt: Date.now() - HOUR_MS })
        server.provider.script('token', { status: 500 }, { status: 500 })
        const { access_token } = await server.fields(ending._id)
        expect(access_token).to.equal(server.issued[1]?.accessToken)
        const [code] = await refusal(server.fields(ended._id))
        expect(code).to.equal('oauth_provider_unavailable')
      })

      it('are refused for an account that its owner must connect again, without asking', async () => {
        const ended = await server.importBank({ expiresAt: Date.now() - HOUR_MS })
        server.provider.grants.revokeAll()
        for (let i = 0; i < 2; i += 1) {
          const [code] = await refusal(server.fields(ended._id))
          expect(code).to.equal('oauth_refresh_invalid_token')
        }
        expect(asked()).to.equal(1)
      })

      it('are refused when they do not open (7.3.4)', async () => {
        const other = await server.importBank()
        await server.accounts.update(server.alice, { ...account, oauth: other.oauth! })
        const [code] = await refusal(server.fields(account._id))
        expect(code).to.equal('oauth_refresh_invalid_token')
      })

      it('hold the refresh token only when the operator wants that (7.4)', async () => {
        expect(await server.fields(account._id)).to.not.have.property('refresh_token')
        const open = await start({ exposeRefreshToken: true })
        const fields = await open.connectors.fieldsForConnector(server.alice, account)
        expect(fields['refresh_token']).to.equal(server.issued[0]?.refreshToken)
      })

      it('hold login and password of accounts without OAuth (7.3.5)', async () => {
        const auth = { login: 'ann', password: 'pa55', dob: '2000-01-01', zip: '1' }
        const plain = { _id: 'legacy', account_type: 'shop', name: '', auth, _rev: '' }
        const sealed = server.connectors.sealAuth(server.alice, plain)
        expect(sealed.auth).to.have.all.keys(
          'login',
          'credentials_encrypted',
          'dob_encrypted',
          'zip',
        )
        expect(JSON.stringify(sealed)).to.not.match(/pa55|2000-01-01/)
        const { _rev: _, ...document } = sealed
        const stored = await server.accounts.create(server.alice, document)
        expect(await server.fields('legacy')).to.deep.equal(auth)
        expect(server.connectors.sealAuth(server.alice, stored)).to.deep.equal(stored)
      })
    })

    describe('for who reads the account (7.4)', () => {
      const view = (viewer: Parameters<typeof server.connectors.view>[2]) =>
        server.connectors.view(server.alice, account, viewer)

      it('are nothing for anybody but the connector and apps that want them', async () => {
        for (const viewer of [
          { kind: 'access' },
          { kind: 'access', wantsCredentials: true },
          { kind: 'app', slug: 'home' },
          { kind: 'konnector', slug: 'other', wantsCredentials: true },
        ] as const) {
          const shown = await view(viewer)
          expect(shown['oauth']).to.have.all.keys(
            'refresh_seq',
            'refreshed_at',
            'scope',
            'status',
            'token_type',
          )
          expect(JSON.stringify(shown)).to.not.match(/encrypted|access_token/)
        }
      })

      it('are the access token for an app that asks for credentials', async () => {
        const shown = await view({ kind: 'app', slug: 'home', wantsCredentials: true })
        expect(shown).to.have.nested.property('oauth.access_token', server.issued[0]?.accessToken)
        expect(shown).to.not.have.nested.property('oauth.refresh_token')
      })

      it('are token and callback results for the connector, of the slug that the type names', async () => {
        await server.putImported({ slug: 'tax-office' })
        const shown = await view({ kind: 'konnector', slug: 'tax-office' })
        expect(shown).to.have.nested.property('oauth.access_token', server.issued[0]?.accessToken)
        expect(await view({ kind: 'konnector', slug: 'bank' })).to.not.have.nested.property(
          'oauth.access_token',
        )
      })

      it('are not shown where they stand in the clear, as some other program wrote them', async () => {
        const careless = {
          ...account,
          oauth: { ...account.oauth!, access_token: 'clear-1', client_secret: 'clear-2' },
          oauth_callback_results: { token: 'clear-3' },
          auth: { login: 'ann', password: 'clear-4', session: 'clear-5' },
          data: { auth: { secret: 'clear-6' }, note: 'shown' },
        }
        const shown = await server.connectors.view(server.alice, careless, { kind: 'access' })
        expect(JSON.stringify(shown)).to.not.include('clear-')
        expect(shown).to.deep.include({ auth: { login: 'ann' }, data: { auth: {}, note: 'shown' } })
      })
    })

    describe('that are imported (K2, D38)', () => {
      const importing = (input: object) =>
        server.connectors.importAccount(server.alice, {
          accountType: 'bank',
          refreshToken: 'r',
          ...input,
        })

      it('are sealed, told of, and refreshed like others', async () => {
        const told: string[] = []
        server.connectors.on('account.connected', ({ how }) => told.push(how))
        server.heard.length = 0
        const imported = await server.importBank({ name: 'Mine' })
        expect(imported.name).to.equal('Mine')
        expect(told).to.deep.equal(['import'])
        expect(server.heard.map(({ verb }) => verb)).to.deep.equal(['CREATED'])
        expect((await server.refresh(imported._id)).status).to.equal(200)
      })

      it('are refused with what is wrong about them', async () => {
        const faults: [object, string][] = [
          [{ refreshToken: '' }, 'refreshToken'],
          [{ refreshToken: 'a\nb' }, 'refreshToken'],
          [{ refreshToken: 'x'.repeat(20_000) }, 'refreshToken'],
          [{ accessToken: 7 }, 'accessToken'],
          [{ expiresAt: -1 }, 'expiresAt'],
          [{ expiresAt: 9e15 }, 'expiresAt'],
          [{ secret: 'x' }, 'additional'],
        ]
        for (const [input, name] of faults) {
          const [code, detail] = await refusal(importing(input))
          expect(code).to.equal('invalid_request')
          expect(detail).to.include(name)
        }
      })

      it('need a type for which credentials are imported', async () => {
        const unknown = await refusal(importing({ accountType: 'nobody' }))
        expect(unknown[0]).to.equal('account_type_not_found')
        const prefixed = await refusal(importing({ accountType: 'context/bank' }))
        expect(prefixed[0]).to.equal('account_type_not_found')
        await server.putType()
        expect((await refusal(importing({})))[0]).to.equal('invalid_request')
      })
    })

    describe('under another key (7.3.3)', () => {
      const old = { kid: 'test', key: Buffer.alloc(32, 7) }
      const fresh = { kid: 'next', key: randomBytes(32) }

      it('are sealed with the new one at the next write too', async () => {
        const rotating = await start({}, [fresh, old])
        expect((await rotating.refresh(account._id)).status).to.equal(200)
        expect((await server.stored(account._id)).oauth?.access_token_encrypted).to.match(
          /^v1\.next/,
        )
      })
    })

    describe('while the store of accounts fails (8.2.7)', () => {
      it('are answered, kept aside, and written at the next load', async () => {
        accounts.failWrites(true)
        const answer = await server.refresh(account._id)
        expect(answer.status).to.equal(200)
        expect((await server.stored(account._id)).oauth).to.deep.equal(account.oauth)
        expect((await server.fields(account._id))['access_token']).to.equal(tokenIn(answer))
        accounts.failWrites(false)
        expect((await server.fields(account._id))['access_token']).to.equal(tokenIn(answer))
        expect((await server.stored(account._id)).oauth?.refresh_seq).to.equal(1)
        expect(asked()).to.equal(1)
        expect((await server.refresh(account._id)).status).to.equal(200)
      })

      it('go nowhere when the account got other tokens meanwhile', async () => {
        accounts.failWrites(true)
        await server.refresh(account._id)
        accounts.failWrites(false)
        const oauth = { ...account.oauth!, refresh_seq: 5 }
        await server.accounts.update(server.alice, { ...account, oauth })
        const { access_token } = await server.fields(account._id)
        expect(access_token).to.equal(server.issued[0]?.accessToken)
      })
    })

    describe('of types without token endpoint (6.7)', () => {
      async function connectBank(): Promise<AccountDocument> {
        const open = servers.at(-1)!
        const { token_endpoint: _, ...entry } = server.provider.entry
        const fields = { ...entry, _id: 'bank', slug: 'bank', trusted_network: true }
        await open.connectors.accountTypes.put({ ...fields, grant_mode: 'authorization_code' })
        const id = (await connect(open.browser(), '/accounts/bank/start?scope=files')).get(
          'account',
        )
        return server.stored(String(id))
      }

      it('are the callback query and the client of the type, for its connector alone', async () => {
        const open = await start({ allowClientSideExchange: true })
        const connected = await connectBank()
        expect(JSON.stringify(connected)).to.not.match(/code-|secret-1/)
        const { code, ...rest } = (
          await open.connectors.fieldsForConnector(server.alice, connected)
        ).query as Record<string, string[]>
        expect(code?.[0]).to.match(/^code-/)
        expect(rest).to.deep.equal({})
        const answer = await open.refresh(connected._id)
        expect(answer.status).to.equal(200)
        const { oauth } = answer.json<RefreshAnswer>().data.attributes
        expect(oauth).to.include({ client_id: 'client-1', client_secret: 'secret-1' })
        const permissions = { accounts: { type: 'io.svc.accounts' } }
        open.konnectors.set('other', { slug: 'other', permissions })
        const token = await open.konnectorToken('other')
        const refused = await open.refresh(connected._id, { token })
        expect(refusalOf(refused)).to.deep.equal([403, 'forbidden'])
      })

      it('cannot be refreshed unless the operator allows such types', async () => {
        await start({ allowClientSideExchange: true })
        const connected = await connectBank()
        const answer = await server.refresh(connected._id)
        expect(refusalOf(answer)).to.deep.equal([500, 'account_type_misconfigured'])
        expect(await server.fields(connected._id)).to.not.have.any.keys('client_secret', 'query')
      })
    })
  })
})
