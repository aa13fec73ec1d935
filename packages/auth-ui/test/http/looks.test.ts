import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Client } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import type { AuthUiOptions, Slot, Theme } from '../../src/index.ts'
import { type BrowserClient, relyingParty } from '@svc/testkit'
import { sampleApps } from '../support/sample-instance.ts'
import { ALICE, createAlice, logIn, startUi, type UiServer } from '../support/ui-server.ts'

const FILE = '.card{border-width:3px}.card::before{content:url("data:image/svg+xml,%3Csvg/%3E")}'

describe('looks of the host', () => {
  const servers: UiServer[] = []
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-looks-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close()
  })

  async function start(ui: Partial<AuthUiOptions>, same?: UiServer): Promise<UiServer> {
    const shared = same === undefined ? {} : { store: same.store, key: same.key, clock: same.clock }
    const server = await startUi({ ...shared, ui })
    // The one that has the store is closed last.
    servers.unshift(server)
    if (same === undefined) await createAlice(server)
    return server
  }

  /** The sheet of the theme that a page loads. */
  function themeOf(html: string): string {
    return /href="([^"]+theme[^"]*\.css)"/u.exec(html)?.[1] ?? ''
  }

  describe('a theme', () => {
    it('has rules of its own, served from the instance and forever', async () => {
      const cssFile = join(folder, 'own.css')
      writeFileSync(cssFile, FILE)
      const server = await start({ theme: { accent: '#7a1fa2', cssFile, scheme: 'dark' } })
      const page = await server.browser().get('/auth/login')
      expect(page.text).to.include('<meta name="color-scheme" content="dark">')
      expect(page.headers['content-security-policy']).to.include("img-src 'self' data:;")
      const sheet = await server.browser().get(themeOf(page.text))
      expect(sheet.headers['cache-control']).to.include('immutable')
      expect(sheet.text).to.include('color-scheme:dark').and.to.include('--color-page:#111614')
      expect(sheet.text.endsWith(FILE)).to.equal(true)
    })

    it('is that of an instance and of a client, in any process', async () => {
      const theme = ({ domain }: Instance, client?: Client): Theme => ({
        name: client === undefined ? domain : `${client.metadata.client_name} at ${domain}`,
        accent: client === undefined ? '#0b4f8a' : '#7a1fa2',
      })
      const server = await start({ theme })
      const other = await start({ theme }, server)
      const login = await server.browser().get('/auth/login')
      expect(login.text).to.include('<span>alice.example.com</span>')
      const page = await consentPage(server)
      expect(page.text).to.include('<span>Notes at alice.example.com</span>')
      for (const [shown, accent] of [
        [login, '#0b4f8a'],
        [page, '#7a1fa2'],
      ] as const) {
        const address = themeOf(shown.text)
        for (const process of [server, other]) {
          const sheet = await process.browser().get(address)
          expect(sheet.text).to.include(`--color-accent:${accent}`)
          expect(sheet.headers['cache-control']).to.include('immutable')
        }
      }
      const older = await other.browser().get('/auth/assets/older/theme.css')
      expect(older.headers['cache-control']).to.equal('public, no-cache')
    })

    it('is that of the package where the host has none', async () => {
      const server = await start({ theme: () => undefined })
      const page = await server.browser().get('/auth/login')
      expect(themeOf(page.text)).to.equal('')
      expect(server.logged.map(([event]) => event)).not.to.include('theme.failed')
    })

    const wrong: readonly [name: string, theme: () => unknown][] = [
      [
        'throws',
        () => {
          throw new Error('broken')
        },
      ],
      ['answers null', () => null],
      ['answers what is no theme', () => ({ accent: 'red' })],
      ['names a file that loads something', () => ({ cssFile: join(folder, 'import.css') })],
    ]
    for (const [name, theme] of wrong) {
      it(`that ${name} is left out, and the log says so`, async () => {
        writeFileSync(join(folder, 'import.css'), '@import "/a.css";')
        const server = await start({ theme: theme as () => Theme }) // wrong on purpose
        const page = await server.browser().get('/auth/login')
        expect(page.status).to.equal(200)
        expect(themeOf(page.text)).to.equal('')
        expect(server.logged.map(([event]) => event)).to.include('theme.failed')
      })
    }
  })

  describe('slots', () => {
    const help: Slot = ({ instance, locale }) => [
      ['Help for ', { text: `<b>${instance.domain}</b>`, href: 'https://help.example.com/' }],
      `in ${locale}`,
    ]

    it('say something on the pages that they are of, as text', async () => {
      const slots = {
        'page.top': () => ['TOP'],
        'page.footer': help,
        'login.before': () => ['BEFORE'],
        'login.after': () => ['AFTER'],
        'consent.before': ({ client }) => [`ABOUT ${client?.metadata.client_name}`],
        'consent.after': () => ['ASKED'],
        'error.after': () => [[{ text: 'Status', href: '/status' }]],
      } satisfies AuthUiOptions['slots']
      const server = await start({ slots })
      const login = await server.browser().get('/auth/login')
      expect(login.text)
        .to.match(/TOP[\s\S]*<main[\s\S]*BEFORE[\s\S]*<form[\s\S]*AFTER[\s\S]*<\/main>/u)
        .and.to.include(
          '<a href="https://help.example.com/" rel="noopener">&lt;b&gt;alice.example.com&lt;/b&gt;</a>',
        )
        .and.to.include('in en')
        .and.not.include('ASKED')
      const consent = await consentPage(server)
      expect(consent.text).to.match(/ABOUT Notes[\s\S]*<form[\s\S]*<\/form>[\s\S]*ASKED/u)
      expect((await server.browser().get('/auth/none')).status).to.equal(404)
    })

    it('lead from an app host to the instance', async () => {
      const slots = { 'error.after': () => [[{ text: 'Status', href: '/status' }]] }
      const server = await startUi({ oauth: { apps: sampleApps('drive') }, ui: { slots } })
      servers.push(server)
      await createAlice(server)
      const page = await server.browser('https://home.alice.example.com').post('/', {})
      expect(page.status).to.equal(405)
      expect(page.text).to.include('href="https://alice.example.com/status"')
    })

    const wrong: readonly [name: string, slot: () => unknown][] = [
      [
        'throws',
        () => {
          throw new Error('broken')
        },
      ],
      ['answers a text', () => 'Hello'],
      ['answers later', async () => ['Hello']],
      ['says more than 600 characters', () => ['Hello'.repeat(121)]],
      ['says more than ten paragraphs', () => Array.from({ length: 11 }, () => 'Hello')],
      ['runs a script', () => [[{ text: 'Hello', href: 'javascript:alert(1)' }]]],
      ['leads elsewhere', () => [[{ text: 'Hello', href: '//evil.example' }]]],
      ['has a link without words', () => [[{ href: '/a' }]]],
    ]
    for (const [name, slot] of wrong) {
      it(`are left out when one ${name}, and the log says so`, async () => {
        const slots = { 'page.top': slot as Slot, 'page.footer': () => ['STILL HERE'] }
        const server = await start({ slots })
        const page = await server.browser().get('/auth/login')
        expect(page.status).to.equal(200)
        expect(page.text).to.include('STILL HERE').and.not.include('Hello')
        const line = server.logged.find(([event]) => event === 'slot.failed')
        expect(line?.[1]).to.include({ domain: 'alice.example.com', slot: 'page.top' })
      })
    }
  })

  describe('texts', () => {
    it('stand in the place of single ones, in their language', async () => {
      const texts = {
        en: { 'login.title': 'Good <3 to see you' },
        fr: { 'login.title': 'Bonjour' },
      }
      const server = await start({ texts })
      const page = await server.browser().get('/auth/login')
      expect(page.text).to.include('<h1>Good &lt;3 to see you</h1>')
      expect(page.text).to.include('Your passphrase never leaves this browser')
    })
  })

  describe('describeScope', () => {
    it('says a scope in the words of the consent page', async () => {
      const server = await start({
        permissionTexts: { 'com.example.recipes': { fr: { name: 'Recettes' } } },
      })
      expect(
        server.ui.describeScope('io.svc.contacts:GET com.example.recipes', 'fr'),
      ).to.deep.equal([
        { scope: 'io.svc.contacts:GET', kind: 'Contacts', text: 'Contacts\u00a0: lire seulement' },
        {
          scope: 'com.example.recipes',
          kind: 'Recettes',
          text: 'Recettes\u00a0: lire, ajouter, modifier, supprimer',
        },
      ])
      expect(server.ui.describeScope('*', 'en')[0]?.scope).to.equal('*')
      expect(() => server.ui.describeScope('no scope!', 'en')).to.throw(TypeError)
    })
  })
})

/** What the owner sees when a client asks. */
async function consentPage(server: UiServer): ReturnType<BrowserClient['get']> {
  const browser = server.browser()
  await logIn(browser)
  const party = relyingParty({ issuer: ALICE, port: server.port })
  await party.register({ client_name: 'Notes' })
  const page = await browser.get((await party.authorize({ scope: 'io.svc.files:GET' })).url)
  expect(page.status).to.equal(200)
  return page
}
