import type { ActivityEvent, ActivityLog, ActivityUse } from '@svc/platform'
import { indexKey, type Json, recordKey, type Store } from '@svc/store'
import { anyStore, type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { beforeEach, describe, it } from 'mocha'
import type { AccountDocument } from '../../src/accounts/account.ts'
import { connect, JSON_API, refusalOf } from '../support/flow-steps.ts'
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
      expect((await server.remove(_id)).status).to.equal(204)
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

/** connectors.md 13 */
describe('figures of calls to providers', () => {
  let server: RefreshServer

  beforeEach(async () => {
    server = await startRefresh({})
  })

  it('count every call of this process by type and class', async () => {
    expect(server.connectors.figures()).to.deep.equal({ calls: {} })
    await server.putType()
    await connect(server.browser())
    await server.putImported()
    const { _id } = await server.importBank()
    await server.refresh(_id)
    server.provider.script('token', { status: 500 }, { body: { error: 'invalid_grant' } })
    await server.refresh(_id)
    await server.refresh(_id)
    await server.putType({ _id: 'shop', grant_mode: 'refresh_token' })
    const other = await server.importBank({ accountType: 'shop' })
    await server.connectors.refreshAccount(server.alice, other._id)
    await server.connectors.removeAccount(server.alice, other._id)
    expect(server.connectors.figures()).to.deep.equal({
      calls: { bank: { ok: 2, unavailable: 1, revoked: 1 }, shop: { ok: 2 } },
    })
  })
})

/** The host's documents may hold whatever some program wrote into them. */
describe('an account that was written by hand', () => {
  let server: RefreshServer
  let clock: FakeClock

  beforeEach(async () => {
    clock = fakeClock()
    server = await startRefresh({ clock })
    await server.putImported()
    // May read whatever there is.
    server.konnectors.set('reader', {
      slug: 'reader',
      permissions: { accounts: { type: 'io.svc.accounts', verbs: ['GET', 'DELETE'] } },
    })
  })

  /** Neither is what documents of this package look like. */
  async function write(document: Record<string, unknown>): Promise<void> {
    const odd = { _id: 'odd', name: '', ...document } as unknown as AccountDocument
    await server.accounts.create(server.alice, odd)
  }

  for (const type of [undefined, null, 7, ['bank'], {}]) {
    it(`is of no type when it says ${JSON.stringify(type) ?? 'nothing'}, and nothing breaks`, async () => {
      await write(type === undefined ? {} : { account_type: type })
      const token = await server.konnectorToken('reader')
      const refreshed = await server.refresh('odd', { token })
      expect(refusalOf(refreshed)).to.deep.equal([404, 'account_not_found'])
      await server.putType()
      const answer = await server
        .browser()
        .get('/accounts/bank/odd/reconnect', { headers: JSON_API })
      expect(refusalOf(answer)).to.deep.equal([404, 'account_not_found'])
      const odd = await server.stored('odd')
      const shown = await server.connectors.view(server.alice, odd, { kind: 'app', slug: 'home' })
      expect(shown).to.include({ _id: 'odd' })
      await server.connectors.accountDeleted(server.alice, odd)
    })
  }

  for (const oauth of [null, 'text', 7, [], [{ access_token_encrypted: 'v1.a.b.c' }], {}]) {
    it(`with ${JSON.stringify(oauth)} as oauth is not refreshed, and the provider not asked`, async () => {
      await write({ account_type: 'bank', oauth })
      const answer = await server.refresh('odd')
      expect(answer.status).to.equal(422)
      expect(server.provider.requestsOf('token')).to.have.length(0)
      const shown = await server.connectors.view(server.alice, await server.stored('odd'), {
        kind: 'konnector',
        slug: 'bank',
      })
      expect(JSON.stringify(shown)).not.to.include('encrypted')
    })
  }

  for (const [what, change] of [
    ['a sequence that is none', { refresh_seq: 'many' }],
    ['the highest sequence', { refresh_seq: Number.MAX_SAFE_INTEGER }],
    ['a negative sequence', { refresh_seq: -5 }],
    ['dates that are none', { expires_at: 'soon', refreshed_at: {}, refresh_expires_at: 7 }],
    ['a status that is none', { status: 'fine', last_error: 'none' }],
  ] as const) {
    it(`with ${what} is refreshed by one question all the same, whoever waits`, async () => {
      const account = await server.importBank()
      const { oauth } = account
      const odd = { ...account, oauth: { ...oauth, ...change } } as unknown as AccountDocument
      await server.accounts.update(server.alice, odd)
      const gate = server.provider.hold('token')
      const answers = Promise.all([1, 2, 3].map(() => server.refresh(account._id)))
      await gate.arrived(1)
      gate.open()
      expect((await answers).map(({ status }) => status)).to.deep.equal([200, 200, 200])
      expect(server.provider.requestsOf('token')).to.have.length(1)
      expect((await server.stored(account._id)).oauth?.status).to.equal('connected')
      expect((await server.fields(account._id))['access_token']).to.be.a('string')
    })
  }
})
