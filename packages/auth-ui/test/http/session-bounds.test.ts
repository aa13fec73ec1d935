import { recordKey } from '@svc/store'
import { expect } from 'chai'
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
})
