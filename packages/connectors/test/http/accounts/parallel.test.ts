import { recordKey } from '@svc/store'
import { type BrowserResponse, eachStore, type ScriptedAnswer } from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import { createStoredAccounts } from '../../../src/accounts/account-store.ts'
import type { AccountDocument } from '../../../src/accounts/account.ts'
import { stateKey } from '../../../src/accounts/refresh-state.ts'
import type { AccountStore } from '../../../src/ports.ts'
import { errorCode, refusalOf } from '../../support/flow-steps.ts'
import { type RefreshServer, startRefresh, tokenIn } from '../../support/refresh-server.ts'
import { until } from '../../support/until.ts'
import { type WatchedAccounts, watchedAccounts } from '../../support/watched-accounts.ts'

const MANY = 100

describe('100 refreshes of an account at once in one process (8.2)', () => {
  eachStore((open) => {
    let server: RefreshServer
    let account: AccountDocument
    let accounts: WatchedAccounts

    beforeEach(async () => {
      const store = await open()
      accounts = watchedAccounts(createStoredAccounts(store))
      server = await startRefresh({ store, connectors: { accounts } })
      await server.putImported()
      account = await server.importBank()
    })
    afterEach(() => server.close())

    /** The provider answers when all have come. */
    async function refreshTogether(answer?: ScriptedAnswer): Promise<BrowserResponse[]> {
      if (answer !== undefined) server.provider.script('token', answer)
      const gate = server.provider.hold('token')
      const before = accounts.reads
      const answering = Array.from({ length: MANY }, () => server.refresh(account._id))
      // Each reads the account once, the one that asks a second time under the lock.
      await until(() => accounts.reads === before + MANY + 1)
      gate.open()
      return Promise.all(answering)
    }

    it('ask the provider once and all get its token', async () => {
      const answers = await refreshTogether()
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(MANY).fill(200))
      expect(new Set(answers.map(tokenIn)).size).to.equal(1)
      expect(server.provider.requestsOf('token')).to.have.lengthOf(1)
      expect((await server.stored(account._id)).oauth?.refresh_seq).to.equal(1)
    })

    it('ask the provider once and all get the same failure', async () => {
      const answers = await refreshTogether({ status: 500 })
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(MANY).fill(502))
      expect(new Set(answers.map(errorCode))).to.deep.equal(new Set(['oauth_provider_unavailable']))
      expect(server.provider.requestsOf('token')).to.have.lengthOf(1)
      expect((await server.refresh(account._id)).status).to.equal(200)
    })

    it('ask the provider once and all hear that it refused', async () => {
      const told: unknown[] = []
      server.connectors.on('account.reconnect_required', (event) => told.push(event))
      const answers = await refreshTogether({ status: 400, body: { error: 'invalid_grant' } })
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(MANY).fill(401))
      expect(server.provider.requestsOf('token')).to.have.lengthOf(1)
      expect(told).to.have.lengthOf(1)
    })

    it('of different accounts each ask for their own', async () => {
      const others = [account, await server.importBank(), await server.importBank()]
      const answers = await Promise.all(others.map(({ _id }) => server.refresh(_id)))
      expect(new Set(answers.map(tokenIn)).size).to.equal(3)
    })
  })
})

describe('accounts of a host without documents of its own', () => {
  eachStore((open) => {
    let server: RefreshServer
    let account: AccountDocument

    beforeEach(async () => {
      server = await startRefresh({ store: await open() })
      await server.putImported()
      account = await server.importBank()
    })
    afterEach(() => server.close())

    it('are in the store of oauth, with nothing of a token in clear', async () => {
      const key = recordKey(server.alice.id, 'account', account._id)
      const record = await server.store.get(key)
      expect(record?.revision).to.equal(account._rev)
      const text = JSON.stringify(record?.value)
      expect(text).to.contain('access_token_encrypted')
      expect(text).to.not.contain(server.issued[0]?.accessToken)
      expect(text).to.not.contain(server.issued[0]?.refreshToken)
    })

    it('change for one of any number of callers who read the same revision', async () => {
      const names = Array.from({ length: 10 }, (_, at) => `Bank ${at}`)
      const written = await Promise.all(
        names.map((name) => server.accounts.update(server.alice, { ...account, name })),
      )
      const winners = written.filter((each) => each !== undefined)
      expect(winners).to.have.length(1)
      expect(await server.stored(account._id)).to.deep.equal(winners[0])
    })

    it('are made once under an id, and deleted by their revision only', async () => {
      const again = await server.accounts.create(server.alice, account).catch(String)
      expect(again).to.equal('Error: an account of this id exists')
      const changed = await server.accounts.update(server.alice, { ...account, name: 'Bank' })
      expect(await server.accounts.delete(server.alice, account._id, account._rev)).to.equal(false)
      const rev = String(changed?._rev)
      expect(await server.accounts.delete(server.alice, account._id, rev)).to.equal(true)
      expect(await server.accounts.get(server.alice, account._id)).to.equal(undefined)
    })

    it('go with their instance, and nothing is refreshed any more; those of others stay', async () => {
      const disconnected: string[] = []
      server.connectors.on('account.disconnected', ({ accountId }) => disconnected.push(accountId))
      const more = await Promise.all(Array.from({ length: 120 }, () => server.importBank()))
      const other = await server.accounts.create(server.bob, { ...account, _id: 'of-bob' })
      expect((await server.refresh(account._id)).status).to.equal(200)
      const state = stateKey(server.alice, account._id)
      expect(await server.store.get(state)).to.not.equal(undefined)

      await server.oauth.instances.remove(server.alice.id)

      expect(await server.accountsOf(server.alice)).to.deep.equal([])
      expect(await server.store.get(state)).to.equal(undefined)
      expect(new Set(disconnected)).to.deep.equal(new Set([account, ...more].map(({ _id }) => _id)))
      expect(await server.accountsOf(server.bob)).to.deep.equal([other])
    })
  })
})

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
        expect(refusalOf(answer)).to.deep.equal([404, 'account_not_found'])
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
