import { type BrowserResponse, eachStore, type ScriptedAnswer } from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import type { AccountDocument } from '../../../src/accounts/account.ts'
import { codeIn, type RefreshServer, startRefresh, tokenIn } from '../../support/refresh-server.ts'
import { createStoredAccounts } from '../../../src/accounts/account-store.ts'
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
      expect(new Set(answers.map(codeIn))).to.deep.equal(new Set(['oauth_provider_unavailable']))
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
