import { HOUR_MS } from '@svc/platform'
import { anyStore } from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import type { AccountDocument } from '../../../src/accounts/account.ts'
import {
  type RefreshAnswer,
  type RefreshServer,
  startRefresh,
  tokenIn,
} from '../../support/refresh-server.ts'

describe('POST /accounts/:accountType/:accountId/refresh', () => {
  anyStore((open) => {
    let server: RefreshServer
    let account: AccountDocument

    beforeEach(async () => {
      server = await startRefresh({ store: await open() })
      await server.putImported()
      account = await server.importBank({ scope: 'files' })
    })
    afterEach(() => server.close())

    it('answers the account with its new token (4.8)', async () => {
      const events: unknown[] = []
      server.connectors.on('account.refreshed', (event) => events.push(event))
      const before = Date.now()
      const answer = await server.refresh(account._id)
      expect(answer.status).to.equal(200)
      expect(answer.contentType).to.equal('application/vnd.api+json')
      expect(answer.headers['cache-control']).to.equal('no-store')
      const { data } = answer.json<RefreshAnswer>()
      const stored = await server.stored(account._id)
      expect(data).to.deep.include({
        type: 'io.svc.accounts',
        id: account._id,
        meta: { rev: stored._rev },
        links: { self: `/data/io.svc.accounts/${account._id}` },
      })
      const { oauth, ...rest } = data.attributes
      expect(rest).to.deep.equal({ account_type: 'bank', name: '' })
      expect(oauth).to.have.all.keys(
        'access_token',
        'expires_at',
        'refresh_seq',
        'refreshed_at',
        'scope',
        'status',
        'token_type',
      )
      expect(oauth).to.include({ refresh_seq: 1, scope: 'files', status: 'connected' })
      expect(server.provider.grants.isLive(String(oauth['access_token']))).to.equal(true)
      expect(Date.parse(String(oauth['expires_at']))).to.be.closeTo(before + HOUR_MS, 5000)
      expect(events).to.have.lengthOf(1)
      expect(events[0]).to.include({ accountId: account._id, accountType: 'bank' })
    })

    it('keeps the refresh token that came, and sends that one the next time (8.6)', async () => {
      await server.refresh(account._id)
      await server.refresh(account._id)
      const sent = server.provider
        .requestsOf('token')
        .map(({ parameters }) => parameters['refresh_token'])
      expect(sent).to.have.lengthOf(2)
      expect(sent[0]).to.equal(server.issued[0]?.refreshToken)
      expect(sent[1]).to.not.equal(sent[0])
    })

    it('keeps the old refresh token when the answer has none, and forgets an expiry it does not name (8.6)', async () => {
      await server.refresh(account._id)
      const [before] = [await server.stored(account._id)]
      server.provider.script('token', { body: { access_token: 'only-this' } })
      const answer = await server.refresh(account._id)
      expect(tokenIn(answer)).to.equal('only-this')
      const { oauth } = await server.stored(account._id)
      expect(oauth).to.not.have.property('expires_at')
      expect(oauth?.refresh_token_encrypted).to.equal(before?.oauth?.refresh_token_encrypted)
      expect(oauth?.scope).to.equal('files')
    })

    it('asks no provider when a refresh happened since the revision of the caller (8.3)', async () => {
      const first = await server.refresh(account._id)
      const again = await server.refresh(account._id, { query: `?rev=${account._rev}` })
      expect(again.status).to.equal(200)
      expect(tokenIn(again)).to.equal(tokenIn(first))
      expect(server.provider.requestsOf('token')).to.have.lengthOf(1)
      const { rev } = first.json<RefreshAnswer>().data.meta
      const own = await server.refresh(account._id, { query: `?rev=${rev}` })
      expect(tokenIn(own)).to.not.equal(tokenIn(first))
    })

    it('does not take an edit of the account for a refresh (8.3)', async () => {
      const first = await server.refresh(account._id)
      const { rev } = first.json<RefreshAnswer>().data.meta
      await server.accounts.update(server.alice, {
        ...(await server.stored(account._id)),
        name: 'B',
      })
      const answer = await server.refresh(account._id, { query: `?rev=${rev}` })
      expect(answer.json<RefreshAnswer>().data.attributes['name']).to.equal('B')
      expect(server.provider.requestsOf('token')).to.have.lengthOf(2)
    })

    it('keeps what else changed in the account while the provider was asked (8.2.7)', async () => {
      const gate = server.provider.hold('token')
      const answering = server.refresh(account._id)
      await gate.arrived(1)
      for (const name of ['one', 'two']) {
        await server.accounts.update(server.alice, { ...(await server.stored(account._id)), name })
      }
      gate.open()
      const answer = await answering
      const stored = await server.stored(account._id)
      expect(stored.name).to.equal('two')
      expect((await server.fields(account._id))['access_token']).to.equal(tokenIn(answer))
    })

    it('never puts tokens into an account that was connected anew meanwhile (D38)', async () => {
      const gate = server.provider.hold('token')
      const answering = server.refresh(account._id)
      await gate.arrived(1)
      const other = await server.importBank()
      const { _id, _rev } = await server.stored(account._id)
      // As the host's own backup would put it back: other tokens under the same id do not open there.
      await server.accounts.update(server.alice, { ...other, _id, _rev })
      gate.open()
      const answer = await answering
      const stored = await server.stored(account._id)
      expect(stored.oauth?.access_token_encrypted).to.equal(other.oauth?.access_token_encrypted)
      expect(answer.status).to.equal(200)
      expect(tokenIn(answer)).to.equal(undefined)
    })

    it('answers 404 to who asked for an account that was deleted meanwhile, and does not bring it back', async () => {
      const gate = server.provider.hold('token')
      const answering = server.refresh(account._id)
      await gate.arrived(1)
      await server.accounts.delete(server.alice, account._id, account._rev)
      gate.open()
      expect((await answering).status).to.equal(404)
      expect(await server.accounts.get(server.alice, account._id)).to.equal(undefined)
    })
  })
})
