import type { Instance } from '@svc/platform'
import { indexKey, recordKey, secretKey } from '@svc/store'
import { expect } from 'chai'
import { DEFAULT_LIFETIMES } from '../../src/lifetimes.ts'
import { type LoginEntry, loginChanges } from '../../src/session/login-history.ts'
import { ALICE, createAlice, logIn, startUi, type UiServer } from '../support/ui-server.ts'

/** @see operation.md 8.1 */
describe('sessions of an instance', () => {
  let server: UiServer
  beforeEach(async () => {
    server = await startUi()
  })
  afterEach(() => server.close())

  it('are 100 at most: the one unused for longest ends', async () => {
    const { instance } = await createAlice(server)
    const { owners } = server.ui
    const first = await owners.createSession(instance)
    const second = await owners.createSession(instance)
    server.clock.advance(1000)
    for (let n = 0; n < 98; n++) await owners.createSession(instance)
    const named = async (): Promise<readonly string[]> => {
      const ids = [first, second].map(({ session }) => session.id)
      const keys = ids.map((id) => recordKey(instance.id, 'session', id))
      const found = await server.store.getMany(keys)
      return ids.filter((_, at) => found[at] !== undefined)
    }
    expect((await named()).length).to.equal(2)
    // A login needs no room.
    const browser = server.browser(ALICE)
    await logIn(browser)
    expect((await named()).length).to.equal(1)
    expect((await browser.get('/settings/sessions/current')).status).to.equal(200)
    await owners.createSession(instance)
    expect((await named()).length).to.equal(0)
  })

  it('leave 1 000 entries of the login history: the oldest go', async () => {
    const { instance } = await createAlice(server)
    const browser = server.browser(ALICE)
    await logIn(browser)
    const [first] = await all(instance, 'session-logins')
    const { clock, store } = server
    for (let n = 0; n < 1000; n++) {
      clock.advance(1)
      const seen = { ip: `192.0.2.${n}`, userAgent: '', os: 'Linux', browser: 'Firefox' }
      const sessionId = `s${n}` as LoginEntry['sessionId']
      const how = { method: 'password', clientRegistration: false } as const
      const entry = { ...seen, ...how, sessionId, createdAt: clock.now() }
      await store.write(loginChanges({ clock, lifetimes: DEFAULT_LIFETIMES }, instance, entry))
    }
    expect(await all(instance, 'session-logins'))
      .to.have.lengthOf(1001)
      .and.include(first)
    await logIn(server.browser(ALICE))
    await server.sentMails()
    expect(await all(instance, 'session-logins'))
      .to.have.lengthOf(1000)
      .and.not.include(first)
    expect(await all(instance, 'login-places')).to.have.lengthOf(1000)
  })

  it('leave 100 known browsers: the one that logged in longest ago is a stranger again', async () => {
    const { instance } = await createAlice(server)
    await logIn(server.browser(ALICE))
    const [first] = await all(instance, 'known-devices')
    server.clock.advance(1000)
    await logIn(server.browser(ALICE))
    const second = (await all(instance, 'known-devices')).find((key) => key !== first)
    for (let n = 0; n < 98; n++) {
      server.clock.advance(1)
      const sort = String(server.clock.now()).padStart(15, '0')
      await server.store.write([
        {
          op: 'put',
          key: secretKey(instance.id, 'known-device', `other ${n}`),
          value: { stamp: 'a' },
          indexes: [{ index: indexKey(instance.id, 'known-devices'), sort }],
        },
      ])
    }
    server.clock.advance(1)
    await logIn(server.browser(ALICE))
    await server.sentMails()
    const known = await all(instance, 'known-devices')
    expect(known).to.have.lengthOf(100).and.include(second).and.not.include(first)
  })

  /** Keys of the records of an index. */
  async function all(instance: Instance, name: string): Promise<readonly string[]> {
    const keys: string[] = []
    let cursor: string | undefined
    do {
      const index = indexKey(instance.id, name)
      const page = await server.store.list(index, cursor === undefined ? {} : { cursor })
      keys.push(...page.records.map(({ key }) => key))
      cursor = page.cursor
    } while (cursor !== undefined)
    return keys
  }
})
