import { recordKey } from '@svc/store'
import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import type { AccountDocument } from '../../../src/accounts/account.ts'
import { stateKey } from '../../../src/accounts/refresh-state.ts'
import { type RefreshServer, startRefresh } from '../../support/refresh-server.ts'

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
