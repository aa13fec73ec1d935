import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { ALICE, createAlice, logIn, startUi, type UiServer } from '../support/ui-server.ts'

const ADDRESS = `${ALICE}/files/a?b=%2B&c=d`
const VISIT = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'sec-fetch-mode': 'navigate',
}

describe('what the guard answers without a token (owner.md 8.6)', () => {
  let server: UiServer
  let browser: BrowserClient
  before(async () => {
    server = await startUi({
      stays: true,
      behind: (app, oauth) => void app.use(oauth.guard({ verb: 'GET', type: 'io.svc.files' })),
    })
    await createAlice(server)
  })
  beforeEach(() => {
    browser = server.browser()
  })
  after(() => server.close())

  const ask = (headers: Readonly<Record<string, string | undefined>>): Promise<BrowserResponse> =>
    browser.get(ADDRESS, { headers })

  it('a navigation gets a page that leads to the login and back', async () => {
    const answer = await ask(VISIT)
    expect(answer.status).to.equal(401)
    expect(answer.contentType).to.equal('text/html')
    expect(answer.headers['www-authenticate']).to.equal('Bearer realm="alice.example.com"')
    expect(answer.headers['cache-control']).to.equal('no-store')
    expect(answer.headers['content-security-policy']).to.contain("default-src 'none'")
    const link = answer.page().links.find(({ text }) => text === 'Log in')
    const login = (await browser.get(link?.href ?? '')).page().form('/auth/login')
    const back = await logIn(browser, { redirect: login.value('redirect') })
    expect(back.location).to.equal(`${ADDRESS}#`)
  })

  it('whoever is logged in is told that the address is for apps, and is led home', async () => {
    await logIn(browser)
    const shown = (await ask(VISIT)).page()
    expect(shown.text).to.contain('This address is for apps')
    expect(shown.links.find(({ text }) => text === 'Go to your space')?.href).to.equal(`${ALICE}/`)
    expect(shown.links.map(({ text }) => text)).to.not.contain('Log in')
  })

  const programs: readonly (readonly [who: string, headers: Record<string, string | undefined>])[] =
    [
      ['a script that asks for HTML', { ...VISIT, 'sec-fetch-mode': 'cors' }],
      ['a client that sends no Sec-Fetch-Mode', { ...VISIT, 'sec-fetch-mode': undefined }],
      ['a navigation for anything but HTML', { ...VISIT, accept: '*/*' }],
      ['a navigation without Accept', { ...VISIT, accept: undefined }],
      ['a client that prefers JSON', { ...VISIT, accept: 'application/json' }],
    ]
  for (const [who, headers] of programs) {
    it(`${who} gets the JSON of before, byte for byte`, async () => {
      const answer = await ask(headers)
      expect(answer.status).to.equal(401)
      expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8')
      expect(answer.text).to.equal('{"error":"missing_token"}')
      expect(answer.headers).to.not.have.any.keys('vary', 'content-security-policy', 'set-cookie')
    })
  }

  it('a token that is wrong, or of no use here, stays JSON for everybody', async () => {
    const answer = await ask({ ...VISIT, authorization: 'Bearer x' })
    expect(answer.status).to.equal(401)
    expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8')
  })
})
