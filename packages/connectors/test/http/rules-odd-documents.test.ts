import { sqliteStore } from '@svc/store/sqlite'
import { type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import type { AccountDocument } from '../../src/accounts/account.ts'
import { errorCode, JSON_API } from '../support/flow-steps.ts'
import { codeIn, type RefreshServer, startRefresh } from '../support/refresh-server.ts'

/** The host's documents may hold whatever some program wrote into them. */
describe('an account that was written by hand', () => {
  let server: RefreshServer
  let clock: FakeClock

  beforeEach(async () => {
    clock = fakeClock()
    server = await startRefresh({ store: sqliteStore({ file: ':memory:', clock }), clock })
    await server.putImported()
    // May read whatever there is.
    server.konnectors.set('reader', {
      slug: 'reader',
      permissions: { accounts: { type: 'io.svc.accounts', verbs: ['GET', 'DELETE'] } },
    })
  })
  afterEach(async () => {
    await server.close()
    await server.store.close()
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
      expect([refreshed.status, codeIn(refreshed)]).to.deep.equal([404, 'account_not_found'])
      await server.putType()
      const answer = await server
        .browser()
        .get('/accounts/bank/odd/reconnect', { headers: JSON_API })
      expect([answer.status, errorCode(answer)]).to.deep.equal([404, 'account_not_found'])
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

  it('with the sealed values of another account gets nothing of it, and needs its owner', async () => {
    const account = await server.importBank()
    await write({ account_type: 'bank', oauth: account.oauth })
    const answer = await server.refresh('odd')
    expect([answer.status, codeIn(answer)]).to.deep.equal([401, 'oauth_refresh_invalid_token'])
    expect(server.provider.requestsOf('token')).to.have.length(0)
    expect((await server.stored('odd')).oauth?.status).to.equal('reconnect_required')
    const shown = await server.connectors.view(server.alice, await server.stored('odd'), {
      kind: 'konnector',
      slug: 'bank',
    })
    expect(JSON.stringify(shown)).not.to.include(server.issued[0]?.accessToken)
  })
})
