import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { freePort } from '@svc/store/testing'
import { expect } from 'chai'
import {
  type BrowserClient,
  browserClient,
  installPackages,
  type RelyingParty,
  relyingParty,
  sharedPackages,
} from '../../src/index.ts'
import { suiteFolder } from '../support/folders.ts'
import { suiteServers } from '../support/servers.ts'

const ROOT = path.resolve(import.meta.dirname, '../../../..')

describe('looks, words, pages and scopes of the recipes, on the packed packages', function () {
  this.timeout(180_000)

  const run = suiteServers()
  const folder = suiteFolder()

  before(() => {
    cpSync(path.join(ROOT, 'examples/own'), folder, { recursive: true })
    installPackages(sharedPackages(ROOT), folder, {
      koa: '3.3.0',
    })
  })
  for (const name of ['language', 'looks', 'pages', 'scopes']) {
    it(`${name} is what its page shows`, () => {
      const code = readFileSync(path.join(ROOT, `examples/own/${name}/${name}.ts`), 'utf8')
      const page = readFileSync(path.join(ROOT, `docs/recipes/own-${name}.md`), 'utf8')
      // Within a list the block is indented.
      const shown = name === 'language' ? page.replaceAll(/^ {3}/gm, '') : page
      expect(shown.includes(`\`\`\`ts\n${code}\`\`\``)).to.equal(true)
    })
  }

  it('looks are those of the instance and the client', async () => {
    const { owner, client, stranger } = await start('looks')
    const login = await stranger.get('/auth/login')
    expect(login.text)
      .to.include('<h1>Welcome to the kitchen</h1>')
      .and.to.include('<span>Recipe Box</span>')
      .and.to.include('<a href="https://help.example.com/" rel="noopener">Help</a>')
    const sheet = /href="([^"]+theme[^"]*)"/.exec(login.text)?.[1] ?? ''
    expect((await owner.get(sheet)).text)
      .to.include('--color-accent:#7a1fa2')
      .and.to.include('color-scheme:light')
      .and.to.include('border-block-start: 4px')
    const consent = await owner.get((await client.authorize({ scope: 'com.example.recipes' })).url)
    expect(consent.text).to.include('This app does not say who makes it.')
  })

  it('scopes have their words, and the policy takes away', async () => {
    const { owner, client } = await start('scopes')
    const scope = 'com.example.recipes com.example.diets:GET'
    const pending = await client.authorize({ scope })
    const consent = await owner.get(pending.url)
    expect(consent.text).to.include('See what you cook').and.not.include('Throw recipes away')
    const allowed = await owner.submit(consent.page().form('/auth/authorize'))
    const tokens = await client.exchange(String(allowed.location), pending)
    expect(tokens.scope).to.equal('com.example.recipes:GET,POST,PUT,PATCH')
    const diets = await client.authorize({ scope: 'com.example.diets:GET' })
    const refused = await owner.get(diets.url)
    expect(refused.status).to.equal(400)
  })

  it('a language is that of pages and apps, and the command checks it', async () => {
    const { owner, port, stranger } = await start('language', 'ar')
    const login = await stranger.get('/auth/login')
    expect(login.text).to.include('<html lang="ar" dir="rtl">').and.to.include('عبارة المرور')
    const host = new URL(owner.base).host
    const home = browserClient({ base: `http://home.${host}`, port })
    expect((await home.get('/locales/ar.json')).json()).to.include({
      'home.hello': 'مرحبًا بك في مساحتك',
      'home.failed': 'That didn’t work. Try again in a moment.',
    })
    const command = path.join(folder, 'node_modules/.bin/svc-locale')
    const run = (...given: string[]): string =>
      execFileSync(command, given, { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
    expect(run('skeleton', 'language/ar')).to.include('mails.json')
    expect(() => run('check', 'language/ar'))
      .to.throw()
      .with.property('stdout')
      .that.matches(/pages\.json: \d+ missing, 0 wrong/)
  })

  it('a page passes the cases of testConsentPage', () => {
    const check = path.join(folder, 'pages/check.ts')
    const said = execFileSync(process.execPath, [check], { cwd: folder, encoding: 'utf8' })
    expect(said).to.equal('20 cases passed\n')
  })

  it('a page is in the place of the package’s, and a script of the same origin gets data', async () => {
    const { owner, client, stranger } = await start('pages')
    const pending = await client.authorize({ scope: 'io.svc.contacts:GET' })
    const consent = await owner.get(pending.url)
    expect(consent.headers['content-security-policy']).to.match(/^default-src 'none'.*form-action/)
    expect(consent.text).to.include('<li>Contacts: read only</li>')
    const allowed = await owner.submit(consent.page().form('/auth/authorize'))
    const tokens = await client.exchange(String(allowed.location), pending)
    expect(tokens.scope).to.equal('io.svc.contacts:GET')
    const headers = { accept: 'application/json', 'sec-fetch-site': 'same-origin' }
    const data = await stranger.get('/auth/login', {
      headers,
    })
    expect(data.json()).to.have.nested.property('forms[0].action', '/auth/login')
  })

  /** Runs a recipe with an owner who is logged in, and a client that registered. */
  async function start(
    name: string,
    locale = 'en',
  ): Promise<{
    readonly owner: BrowserClient
    readonly client: RelyingParty
    readonly port: number
    /** Another browser, in which nobody is logged in. */
    readonly stranger: BrowserClient
  }> {
    const port = await freePort()
    const domain = `alice.localhost:${port}`
    const env = { DOMAIN: domain, PORT: String(port), LOCALE: locale }
    const link = await run(path.join(folder, name, 'server.ts'), folder, env, /^Open (.*)/)
    const owner = browserClient({ base: `http://${domain}`, port })
    const choose = (await owner.get(link)).page().form('/settings/passphrase')
    await owner.submit(choose, { passphrase: 'correct horse battery staple' })
    const client = relyingParty({ issuer: `http://${domain}`, port })
    await client.register({ client_name: 'Notes' })
    const stranger = browserClient({ base: owner.base, port })
    return { owner, client, port, stranger }
  }
})
