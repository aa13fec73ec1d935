import { fakeClock } from '@svc/testkit'
import { sqliteStore } from '@svc/store/sqlite'
import { expect } from 'chai'
import {
  allow,
  authorizeParameters,
  authorizeUrl,
  type ConsentServer,
  startConsentServer,
} from './consent-server.ts'

const ANDROID = 'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 Chrome/140.0 Mobile'
const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15'
const IPAD = 'Mozilla/5.0 (iPad; CPU OS 19_0 like Mac OS X) AppleWebKit/605.1.15'
const LINUX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const STORES = {
  android: 'market://details?id=com.example.new&x="y"',
  iphone: 'itms-apps://itunes.apple.com/app/id1',
  other: 'https://store.example.com/new',
}

describe('an authorization for a deprecated app', () => {
  const clock = fakeClock()
  let store: ReturnType<typeof sqliteStore>
  let server: ConsentServer
  beforeEach(async () => {
    store = sqliteStore({ file: ':memory:', clock })
    server = await startConsentServer({
      store,
      clock,
      deprecatedApps: [
        { softwareId: 'org.example.old', name: 'Old', storeUrls: STORES },
        {
          softwareId: 'org.example.older',
          name: 'Older',
          storeUrls: { other: 'https://store.example.com/older' },
        },
      ],
    })
  })
  afterEach(async () => {
    await server.close()
    await store.close()
  })

  const rows = [
    ['Android', ANDROID, STORES.android],
    ['iPhone', IPHONE, STORES.iphone],
    ['iPad', IPAD, STORES.iphone],
    ['another system', LINUX, STORES.other],
    ['every system', ANDROID, 'https://store.example.com/older', 'older'],
  ] as const
  for (const [name, agent, url, app = 'old'] of rows) {
    it(`answers 200 with the store of ${name}, its address unharmed`, async () => {
      const party = await server.client({ software_id: `org.example.${app}` })
      const page = await server
        .browser({ loggedIn: false })
        .get(authorizeUrl(authorizeParameters(party)), { headers: { 'user-agent': agent } })
      expect(page.status).to.equal(200)
      expect(page.page().title).to.equal('page')
      expect(page.text).to.include(`${app === 'old' ? 'Old' : 'Older'} is gone`)
      expect(page.text).to.include(
        `href="${url.replaceAll('"', '&#34;').replaceAll('&x', '&#38;x')}"`,
      )
    })
  }

  it('answers 403 to a POST, 401 before that to nobody logged in', async () => {
    const party = await server.client({ software_id: 'org.example.old' })
    const form = { csrf_token: 'csrf-of-this-browser', ...authorizeParameters(party) }
    for (const [loggedIn, status] of [
      [false, 401],
      [true, 403],
    ] as const) {
      const browser = server.browser({ loggedIn })
      browser.plantCookie('csrf=csrf-of-this-browser; Path=/')
      const answer = await browser.post('/auth/authorize', form)
      expect(answer.status).to.equal(status)
      expect(answer.location).to.equal(undefined)
    }
    expect(server.events).to.deep.equal([])
  })

  it('takes nothing from tokens that were given before', async () => {
    const party = await server.client({ software_id: 'org.example.fine' })
    const tokens = await allow(server, party)
    const later = await startConsentServer({
      store,
      clock,
      sameAs: server,
      deprecatedApps: [{ softwareId: 'org.example.fine', name: 'Fine', storeUrls: STORES }],
    })
    const answer = await later.call('/files', { token: tokens.access_token })
    expect(answer.status).to.equal(200)
    await later.close()
  })
})
