import type { ActivityEvent, ActivityLog, ActivityUse } from '@svc/platform'
import { indexKey, type Json, recordKey, type Store } from '@svc/store'
import { anyStore } from '@svc/testkit'
import { expect } from 'chai'
import { connect } from '../support/flow-steps.ts'
import { type RefreshServer, startRefresh } from '../support/refresh-server.ts'

/** Events that are in the store, written together with what they tell. */
const NOTED = 'noted'

/** A record of activity that keeps events in the order in which they were noted. */
function recordIn(uses: ActivityUse[]): ActivityLog {
  let count = 0
  return {
    pending({ id }, event) {
      count += 1
      const sort = String(count).padStart(6, '0')
      const value = event as unknown as Json // Texts.
      const indexes = [{ index: indexKey(id, NOTED), sort }]
      return [{ op: 'put', key: recordKey(id, NOTED, sort), value, indexes }]
    },
    refused: async () => {},
    used: (_, use) => uses.push(use),
  }
}

anyStore((open) => {
  describe('what connectors note', () => {
    let store: Store
    let server: RefreshServer
    let uses: ActivityUse[]

    beforeEach(async () => {
      uses = []
      store = await open()
      server = await startRefresh({ store })
      server.oauth.useActivity(recordIn(uses))
      await server.putType()
    })
    afterEach(() => server.close())

    async function noted(): Promise<readonly ActivityEvent[]> {
      const { records } = await store.list(indexKey(server.alice.id, NOTED))
      return records.map(({ value }) => value as unknown as ActivityEvent)
    }

    const told = async () =>
      (await noted()).map(({ event, actor, target }) => [event, actor.kind, target?.name])

    it('is each account that its owner connects, again as well', async () => {
      const browser = server.browser()
      await connect(browser)
      const [account] = await server.accountsOf()
      await connect(browser, `/accounts/bank/${account?._id}/reconnect`)
      expect(await told()).to.deep.equal([
        ['account.connected', 'owner', 'bank'],
        ['account.reconnected', 'owner', 'bank'],
      ])
      expect((await noted())[0]?.origin?.ip).to.match(/^127|^::/)
    })

    it('is an account that fails for good, once, and who removes one', async () => {
      await server.putImported()
      const { _id } = await server.importBank()
      server.provider.script('token', { status: 400, body: { error: 'invalid_grant' } })
      for (let at = 0; at < 2; at += 1) await server.refresh(_id)
      const answer = await server.browser().request('DELETE', `/accounts/bank/${_id}`, {
        headers: { authorization: `Bearer ${await server.konnectorToken()}` },
      })
      expect(answer.status).to.equal(204)
      expect(await told()).to.deep.equal([
        ['account.connected', 'operator', 'bank'],
        ['account.failing', 'server', 'bank'],
        ['account.removed', 'konnector', 'bank'],
      ])
      expect((await noted())[1]?.reason).to.match(/^[a-z_]+$/)
      const text = JSON.stringify(await noted())
      for (const { accessToken, refreshToken } of server.issued) {
        expect(text).to.not.include(accessToken).and.not.include(refreshToken)
      }
    })

    it('is how often an account was refreshed, and its credentials handed out', async () => {
      await server.putImported()
      const { _id } = await server.importBank()
      expect((await server.refresh(_id)).status).to.equal(200)
      await server.fields(_id)
      const counts = Map.groupBy(uses, ({ what }) => what)
      expect(counts.get('refreshes')?.length).to.equal(1)
      expect(counts.get('credentials')?.length).to.equal(2)
      expect(
        uses.every(({ event, of }) => event === 'account.used' && of.name === 'bank'),
      ).to.equal(true)
    })
  })
})
