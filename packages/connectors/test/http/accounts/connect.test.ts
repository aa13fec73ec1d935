import { anyStore } from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import type { AccountDocument } from '../../../src/accounts/account.ts'
import { connect } from '../../support/flow-steps.ts'
import { type RefreshServer, startRefresh } from '../../support/refresh-server.ts'

describe('an account that its owner connects (7.2, 4.7)', () => {
  anyStore((open) => {
    let server: RefreshServer

    beforeEach(async () => {
      server = await startRefresh({ store: await open() })
      await server.putType()
    })
    afterEach(() => server.close())

    const START = '/accounts/bank/start?scope=openid+files'
    const connected = async (path = START): Promise<AccountDocument> =>
      server.stored(String((await connect(server.browser(), path)).get('account')))

    it('holds exactly what 7.2 lists, its secrets sealed', async () => {
      const before = Date.now()
      const account = await connected()
      const { oauth, ...rest } = account
      expect(rest).to.have.all.keys(
        '_id',
        '_rev',
        'account_type',
        'name',
        'oauth_callback_results_encrypted',
      )
      expect(rest).to.include({ account_type: 'bank', name: '' })
      expect(account._id).to.match(/^[0-9a-f]{32}$/)
      expect(oauth).to.have.all.keys(
        'access_token_encrypted',
        'refresh_token_encrypted',
        'token_type',
        'expires_at',
        'scope',
        'status',
        'refresh_seq',
        'refreshed_at',
      )
      expect(oauth).to.include({ scope: 'openid files', status: 'connected', refresh_seq: 0 })
      expect(Date.parse(oauth?.refreshed_at ?? '')).to.be.closeTo(before, 5000)
      const sealed = /^v1\.test\.[\w-]{16}\.[\w-]{22,}$/
      expect(oauth?.access_token_encrypted).to.match(sealed)
      expect(oauth?.refresh_token_encrypted).to.match(sealed)
      expect(account.oauth_callback_results_encrypted).to.match(sealed)
    })

    it('is told of as CREATED without its secrets, and as connected', async () => {
      const told: unknown[] = []
      server.connectors.on('account.connected', ({ accountId, accountType, how }) =>
        told.push({ accountId, accountType, how }),
      )
      server.heard.length = 0
      const account = await connected()
      expect(told).to.deep.equal([{ accountId: account._id, accountType: 'bank', how: 'create' }])
      expect(server.heard.map(({ verb, id }) => [verb, id])).to.deep.equal([
        ['CREATED', account._id],
      ])
      expect(JSON.stringify(server.heard)).to.not.match(/encrypted|access_token|callback_results/)
    })

    it('keeps what else the provider told for its connector (7.2)', async () => {
      const body = { access_token: 'x', user: { id: 7 }, region: 'eu' }
      server.provider.script('token', { body })
      const account = await connected()
      const { oauth_callback_results } = await server.fields(account._id)
      expect(oauth_callback_results).to.deep.equal({ user: { id: 7 }, region: 'eu' })
    })

    it('keeps the digits of an id beyond 2^53, as a text (D97)', async () => {
      const body = '{"access_token":"x","user_id":17841405822304915}'
      server.provider.script('token', { body })
      const account = await connected()
      const { oauth_callback_results } = await server.fields(account._id)
      expect(oauth_callback_results).to.deep.equal({ user_id: '17841405822304915' })
    })

    it('drops the largest members of what is over 16 KiB, with a warning (7.2)', async () => {
      const much = 'y'.repeat(17 * 1024)
      const half = 'y'.repeat(9 * 1024)
      for (const [told, kept] of [
        [
          { much, user_id: 7, region: 'eu' },
          { user_id: 7, region: 'eu' },
        ],
        [
          { b: `${half}y`, a: half, user_id: 7 },
          { a: half, user_id: 7 },
        ],
        [{ much }, undefined],
      ] as const) {
        server.logged.length = 0
        server.provider.script('token', { body: { access_token: 'x', ...told } })
        const account = await connected()
        const { oauth_callback_results } = await server.fields(account._id)
        expect(oauth_callback_results).to.deep.equal(kept)
        expect(server.logged.join()).to.include('warn account.callback_results_dropped')
      }
    })

    it('has no expiry when the provider names none (7.2)', async () => {
      server.provider.script('token', { body: { access_token: 'x' } })
      const { oauth } = await connected()
      expect(oauth).to.not.have.property('expires_at')
      expect(oauth).to.not.have.property('refresh_token_encrypted')
    })

    it('has the scope that was asked for when the provider names none (6.3.9)', async () => {
      server.provider.script('token', { body: { access_token: 'x' } })
      const { oauth } = await connected('/accounts/bank/start?scope=files+mail')
      expect(oauth?.scope).to.equal('files mail')
    })

    it('is refreshed with the tokens it got', async () => {
      const account = await connected()
      expect((await server.refresh(account._id)).status).to.equal(200)
    })

    describe('and connects again', () => {
      const again = (id: string, scope = 'files') => `/accounts/bank/${id}/reconnect?scope=${scope}`
      const reconnect = ({ _id }: AccountDocument) =>
        connect(server.browser(), again(_id, 'openid+files'))
      /** The provider says who it was. */
      const as = (user: string | undefined, path = '/accounts/bank/start?scope=files') =>
        connect(server.browser(), path, (answer) => {
          if (user !== undefined) answer.set('user', user)
        })

      it('is the same document with other tokens, connected, its error gone', async () => {
        const account = await connected()
        server.provider.grants.revokeAll()
        expect((await server.refresh(account._id)).status).to.equal(401)
        const named = { ...(await server.stored(account._id)), name: 'Savings', folder: 'f' }
        await server.accounts.update(server.alice, named)
        server.heard.length = 0
        const back = await reconnect(account)
        expect(back.get('account')).to.equal(account._id)
        const stored = await server.stored(account._id)
        expect(stored).to.include({ name: 'Savings', folder: 'f' })
        expect(stored.oauth).to.include({ status: 'connected', refresh_seq: 1 })
        expect(stored.oauth).to.not.have.property('last_error')
        expect(server.heard.map(({ verb }) => verb)).to.deep.equal(['UPDATED'])
        expect(await server.accountsOf()).to.have.lengthOf(1)
        expect((await server.refresh(account._id)).status).to.equal(200)
      })

      it('writes nothing when the provider says that it is somebody else', async () => {
        await server.putType({ callback_params: ['user'] })
        const first = await as('ann')
        const account = await server.stored(String(first.get('account')))
        expect(account.oauth?.subject).to.equal('ann')
        const path = again(account._id)
        expect((await as('bob', path)).get('error')).to.equal('account_mismatch')
        expect(await server.stored(account._id)).to.deep.equal(account)
        expect((await as('ann', path)).get('account')).to.equal(account._id)
      })

      it('keeps its refresh token when the provider gives none and is sure to mean the same user', async () => {
        await server.putType({ callback_params: ['user'] })
        const id = String((await as('ann')).get('account'))
        const before = (await server.stored(id)).oauth?.refresh_token_encrypted
        const path = again(id)
        server.provider.script('token', { body: { access_token: 'x' } })
        await as('ann', path)
        expect((await server.stored(id)).oauth?.refresh_token_encrypted).to.equal(before)
        server.provider.script('token', { body: { access_token: 'y' } })
        await as(undefined, path)
        expect((await server.stored(id)).oauth).to.not.have.property('refresh_token_encrypted')
      })
    })
  })
})
