import type { BrowserClient } from '@svc/testkit'
import { expect } from 'chai'
import { ask, startWithSettings } from '../support/settings-server.ts'
import { ALICE, createAlice, logIn, type UiServer } from '../support/ui-server.ts'

describe('GET /settings/disk-usage', () => {
  let server: UiServer
  let browser: BrowserClient
  let size: { used: number; quota?: number }

  beforeEach(async () => {
    size = { used: 5, quota: 10 }
    server = await startWithSettings({ ui: { move: { diskUsage: async () => size } } })
    await createAlice(server)
    browser = server.browser(ALICE)
    await logIn(browser)
  })
  afterEach(() => server.close())

  it('answers bytes used, and the quota where there is one', async () => {
    const answer = await ask(browser, 'GET', '/settings/disk-usage')
    expect(answer.status).to.equal(200)
    expect(answer.json()).to.deep.equal({ used: 5, quota: 10 })
    expect(answer.headers['cache-control']).to.equal('no-store')
    size = { used: 7 }
    expect((await ask(browser, 'GET', '/settings/disk-usage')).json()).to.deep.equal({ used: 7 })
  })

  it('is for the settings app alone', async () => {
    const other = await ask(browser, 'GET', '/settings/disk-usage', undefined, { slug: 'drive' })
    expect(other.status).to.equal(403)
    expect((await browser.get('/settings/disk-usage')).status).to.equal(401)
  })
})
