import type { BrowserClient } from '@svc/testkit'
import { expect } from 'chai'
import { ask, startWithSettings } from '../support/settings-server.ts'
import { logIn, withAlice } from '../support/ui-server.ts'

describe('GET /settings/disk-usage', () => {
  let browser: BrowserClient
  let size: { used: number; quota?: number }

  beforeEach(async () => {
    size = { used: 5, quota: 10 }
    ;({ browser } = await withAlice(
      startWithSettings({ ui: { move: { diskUsage: async () => size } } }),
    ))
    await logIn(browser)
  })

  it('answers bytes used, and the quota where there is one', async () => {
    const answer = await ask(browser, 'GET', '/settings/disk-usage')
    expect(answer.status).to.equal(200)
    expect(answer.json()).to.deep.equal({ used: 5, quota: 10 })
    expect(answer.headers['cache-control']).to.equal('no-store')
    size = { used: 7 }
    expect((await ask(browser, 'GET', '/settings/disk-usage')).json()).to.deep.equal({ used: 7 })
  })
})
