import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Language } from '../../src/index.ts'
import { sampleApps } from '../support/sample-instance.ts'
import { createAlice, startUi, type UiServer } from '../support/ui-server.ts'

const read = (path: string): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(new URL(`../../${path}/en.json`, import.meta.url), 'utf8'))

/** Every English text behind a mark: whatever shows without it is not of the language. */
function marked(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, `§${text}`]))
}

describe('a language of the host', () => {
  let server: UiServer

  async function start(locale: string, language: Language, tag = 'ar'): Promise<UiServer> {
    server = await startUi({
      oauth: { apps: sampleApps('drive') },
      ui: { locales: { [tag]: language } },
    })
    await createAlice(server, { locale })
    return server
  }

  it('is that of pages, from right to left, also for a region of it', async () => {
    await start('ar-EG', { messages: marked(read('locales')), partial: true })
    const page = await server.browser().get('/auth/login')
    expect(page.text).to.include('<html lang="ar" dir="rtl">').and.to.include('<h1>§Log in</h1>')
    expect(page.headers['content-language']).to.equal('ar')
  })

  it('is English where it has gaps that are meant', async () => {
    const messages = { 'login.title': 'مرحبا', '//login.title': 'Log in' }
    await start('ar', { messages, partial: true })
    const page = await server.browser().get('/auth/login')
    expect(page.text).to.include('<h1>مرحبا</h1>').and.to.include('Forgot your passphrase?')
  })

  it('is written as the host says, whatever its tag says', async () => {
    await start('tlh', { messages: {}, dir: 'rtl', partial: true }, 'tlh')
    const page = await server.browser().get('/auth/login')
    expect(page.text).to.include('<html lang="tlh" dir="rtl">')
    const home = server.browser('https://home.alice.example.com')
    expect((await home.get('/locales/tlh.json')).json()).to.have.property('@dir', 'rtl')
  })

  for (const app of ['home', 'settings'] as const) {
    it(`is that of the app ${app}, for anybody who asks`, async () => {
      const ours = read(`${app}-app/locales`)
      const [key = ''] = Object.keys(ours)
      await start('ar', { messages: {}, [app]: { [key]: '§' }, partial: true })
      const browser = server.browser(`https://${app}.alice.example.com`)
      const texts = await browser.get('/locales/ar.json')
      expect(texts.status).to.equal(200)
      expect(texts.headers['cache-control']).to.equal('public, no-cache')
      expect(texts.headers['access-control-allow-origin']).to.equal(undefined)
      expect(texts.json()).to.deep.equal({ ...ours, [key]: '§' })
      const etag = String(texts.headers['etag'])
      const again = await browser.get('/locales/ar.json', { headers: { 'if-none-match': etag } })
      expect(again.status).to.equal(304)
      expect((await browser.get('/locales/fa.json')).status).not.to.equal(200)
    })
  }
})
