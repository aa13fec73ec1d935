import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import type { AccountDocument } from '../../../src/accounts/account.ts'
import { codeIn, type RefreshServer, startRefresh } from '../../support/refresh-server.ts'
import { createStoredAccounts } from '../../../src/accounts/account-store.ts'
import type { AccountStore } from '../../../src/ports.ts'

describe('DELETE /accounts/:accountType/:accountId (4.9)', () => {
  eachStore((open) => {
    let server: RefreshServer
    let account: AccountDocument
    let gone: string[]
    let hook: ((account: AccountDocument) => Promise<void>) | undefined

    beforeEach(async () => {
      const store = await open()
      const plain = createStoredAccounts(store)
      // As a host whose documents have a delete hook.
      const accounts: AccountStore = {
        ...plain,
        async delete(instance, id, rev) {
          const account = await plain.get(instance, id)
          const isDeleted = await plain.delete(instance, id, rev)
          if (isDeleted && account !== undefined) await hook?.(account)
          return isDeleted
        },
      }
      hook = undefined
      server = await startRefresh({ store, connectors: { accounts } })
      await server.putImported()
      account = await server.importBank()
      gone = []
      server.connectors.on('account.disconnected', ({ accountId }) => gone.push(accountId))
    })
    afterEach(() => server.close())

    async function remove(id = account._id, { slug = 'bank', type = 'bank' } = {}) {
      const authorization = `Bearer ${await server.konnectorToken(slug)}`
      return server.browser().request('DELETE', `/accounts/${type}/${id}`, {
        headers: { authorization },
      })
    }
    const sent = () =>
      server.provider
        .requestsOf('revoke')
        .map(({ parameters }) => [parameters['token'], parameters['token_type_hint']])

    it('revokes the refresh token at the provider, deletes the account, and tells everybody once', async () => {
      server.heard.length = 0
      hook = (deleted) => server.connectors.accountDeleted(server.alice, deleted)
      const answer = await remove()
      expect([answer.status, answer.text]).to.deep.equal([204, ''])
      expect(sent()).to.deep.equal([[server.issued[0]?.refreshToken, 'refresh_token']])
      expect(await server.accounts.get(server.alice, account._id)).to.equal(undefined)
      expect(gone).to.deep.equal([account._id])
      expect(server.heard.map(({ verb, id }) => [verb, id])).to.deep.equal([
        ['DELETED', account._id],
      ])
      expect(JSON.stringify(server.heard)).to.not.include('encrypted')
    })

    it('revokes the access token when there is no refresh token', async () => {
      const { refresh_token_encrypted: _, ...oauth } = account.oauth!
      await server.accounts.update(server.alice, { ...account, oauth })
      expect((await remove()).status).to.equal(204)
      expect(sent()).to.deep.equal([[server.issued[0]?.accessToken, 'access_token']])
    })

    it('deletes the account although the provider fails, or cannot revoke, or its type is gone', async () => {
      server.provider.script('revoke', { status: 500 })
      expect((await remove()).status).to.equal(204)
      const second = await server.importBank()
      const { revocation_endpoint: _, ...entry } = server.provider.entry
      const fields = { ...entry, _id: 'bank', slug: 'bank', trusted_network: true }
      await server.connectors.accountTypes.put({ ...fields, grant_mode: 'refresh_token' })
      expect((await remove(second._id)).status).to.equal(204)
      const third = await server.importBank()
      await server.connectors.accountTypes.delete('bank')
      expect((await remove(third._id)).status).to.equal(204)
      expect(await server.accountsOf()).to.deep.equal([])
      expect(server.provider.requestsOf('revoke')).to.have.lengthOf(1)
    })

    it('waits for a refresh under way, so that what is revoked is what is there', async () => {
      const gate = server.provider.hold('token')
      const refreshing = server.refresh(account._id)
      await gate.arrived(1)
      const removing = remove()
      gate.open()
      expect((await refreshing).status).to.equal(200)
      expect((await removing).status).to.equal(204)
      const [revoked] = sent()
      expect(revoked?.[0]).to.not.equal(server.issued[0]?.refreshToken)
      expect(await server.accountsOf()).to.deep.equal([])
    })

    it('answers 403 without DELETE on the account, 404 for an unknown one and one of another type', async () => {
      const permissions = { accounts: { type: 'io.svc.accounts', verbs: ['GET'] } }
      server.konnectors.set('reader', { slug: 'reader', permissions })
      expect((await remove(account._id, { slug: 'reader' })).status).to.equal(403)
      const all = { accounts: { type: 'io.svc.accounts', verbs: ['DELETE'] } }
      server.konnectors.set('all', { slug: 'all', permissions: all })
      const unknown = await remove('0'.repeat(32), { slug: 'all' })
      const other = await remove(account._id, { slug: 'all', type: 'tax' })
      for (const answer of [unknown, other]) {
        expect([answer.status, codeIn(answer)]).to.deep.equal([404, 'account_not_found'])
      }
      expect(await server.accountsOf()).to.have.lengthOf(1)
    })

    it('answers 401 without a token', async () => {
      const answer = await server.browser().request('DELETE', `/accounts/bank/${account._id}`)
      expect(answer.status).to.equal(401)
      expect(answer.headers['www-authenticate']).to.match(/^Bearer/)
    })

    it('deletes once: of two at the same time one finds nothing', async () => {
      const answers = await Promise.all([remove(), remove()])
      expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([204, 404])
      expect(gone).to.have.lengthOf(1)
    })

    it('hears of an account that the host deleted itself', async () => {
      await server.accounts.delete(server.alice, account._id, account._rev)
      await server.connectors.accountDeleted(server.alice, account)
      expect(gone).to.deep.equal([account._id])
    })
  })
})
