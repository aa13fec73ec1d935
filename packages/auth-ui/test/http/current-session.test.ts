import type { BrowserClient } from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import { createAlice, logIn, startUi, type UiServer } from '../support/ui-server.ts'

const ALICE = 'alice.example.com'

describe('ui.currentSession', () => {
  let server: UiServer
  let browser: BrowserClient
  let cookie: string
  beforeEach(async () => {
    server = await startUi()
    await createAlice(server)
    browser = server.browser()
    await logIn(browser)
    cookie = `theirs=1; svcsessid=${browser.cookie('svcsessid')?.value}`
  })
  afterEach(() => server.close())

  const idOf = async (headers: Record<string, string>): Promise<string | undefined> =>
    (await server.ui.currentSession({ headers }))?.id

  it('is whoever is logged in on the host that the request names, whatever framework has it', async () => {
    const id = await idOf({ host: ALICE, cookie })
    expect(id).to.be.a('string')
    const request = new Request(`https://${ALICE}/recipes`, { headers: { cookie } })
    expect((await server.ui.currentSession(request))?.id).to.equal(id)
    // One cookie covers the app hosts below the instance.
    expect(await idOf({ host: `notes.${ALICE}`, cookie })).to.equal(id)
  })

  it('is nobody without the cookie, elsewhere, and after the logout', async () => {
    await server.oauth.instances.create({ domain: 'bob.example.com' })
    expect(await idOf({ host: ALICE })).to.equal(undefined)
    expect(await idOf({ host: ALICE, cookie: 'svcsessid=planted' })).to.equal(undefined)
    for (const host of ['bob.example.com', 'x.example', '']) {
      expect(await idOf({ host, cookie }), host).to.equal(undefined)
    }
    await server.ui.owners.deleteAllSessions(await instanceOf())
    expect(await idOf({ host: ALICE, cookie })).to.equal(undefined)
  })

  async function instanceOf() {
    const instance = await server.oauth.instances.byHost(ALICE)
    if (instance === undefined) throw new Error('alice is gone')
    return instance
  }

  it('is nobody while the instance is out of service', async () => {
    await server.oauth.instances.update((await instanceOf()).id, { status: 'blocked' })
    expect(await idOf({ host: ALICE, cookie })).to.equal(undefined)
  })
})
