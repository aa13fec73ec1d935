import { once } from 'node:events'
import { cpSync, existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { freePort } from '@svc/store/testing'
import { expect } from 'chai'
import { WWWAuthenticateChallengeError } from 'oauth4webapi'
import {
  browserClient,
  choosePassphrase,
  firstPageFaults,
  installPackages,
  launchChromium,
  type Mailbox,
  type MountedExample,
  needsChromium,
  needsLoopbackAddresses,
  onboardInBrowser,
  openMailbox,
  relyingParty,
  runContract,
  sharedPackages,
  startExample,
} from '../../src/index.ts'
import { ALL_MOUNTS, build, dependenciesOf, EXAMPLES, expectedFailures, ROOT } from './mounts.ts'
import { suiteFolder } from '../support/folders.ts'
import { openSocket } from '../support/servers.ts'

const BASE = 'https://alice.example.com'
/** Links of an owner that a stranger may try in an hour, all of them wrong. */
const GUESSES = 30
/** Next and NestJS take long to install and to build: they are run by command, `SVC_MOUNTS=next,nest`. */
const WANTED = (process.env['SVC_MOUNTS'] ?? 'node,express,fastify,hono').split(',')
const MOUNTS = ALL_MOUNTS.filter(([name]) => WANTED.includes(name))
/** Examples that the recipe shows from the first import to the last line. */
const WHOLE = ['node', 'express', 'fastify', 'hono']
const NAMES = [...new Set(MOUNTS.map(([name]) => name))]

describe('the mounts of examples/mounts, on the packed packages', function () {
  this.timeout(180_000)

  const folder = suiteFolder()
  let mailbox: Mailbox
  let server: MountedExample | undefined

  before(async () => {
    mailbox = await openMailbox()
    installPackages(sharedPackages(ROOT), folder, dependenciesOf(NAMES))
    for (const name of NAMES) {
      cpSync(path.join(EXAMPLES, name), path.join(folder, name), { recursive: true })
      build(path.join(folder, name))
    }
  })
  afterEach(() => server?.stop())
  after(async () => {
    await mailbox.close()
  })

  /** Starts an example with a store of its own. @returns the link that it prints */
  async function start(
    [name, source]: (typeof MOUNTS)[number],
    port: number,
    domain = 'alice.example.com',
  ): Promise<string> {
    const built = path.join(folder, name, 'dist', source.replace('.ts', '.js'))
    const file = existsSync(built) ? built : path.join(folder, name, source)
    server = await startExample(file, folder, { domain, port, smtpPort: mailbox.port })
    return server.link
  }

  it('all put the packages together in the same way', () => {
    const files = globSync('*/assembly.ts', { cwd: EXAMPLES })
    expect(files).to.have.lengthOf(new Set(ALL_MOUNTS.map(([name]) => name)).size)
    const texts = files.map((file) => readFileSync(path.join(EXAMPLES, file), 'utf8'))
    expect(new Set(texts).size).to.equal(1)
  })

  it('are what the recipe shows', () => {
    const page = readFileSync(path.join(ROOT, 'docs/recipes/frameworks.md'), 'utf8')
    const sources = globSync('*/{,app/**/}*.{ts,mjs}', { cwd: EXAMPLES }).map((file) =>
      readFileSync(path.join(EXAMPLES, file), 'utf8').replaceAll(/^ +/gm, ''),
    )
    const shown = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code)
    for (const file of ['node/assembly.ts', ...WHOLE.map((name) => `${name}/server.ts`)]) {
      const source = readFileSync(path.join(EXAMPLES, file), 'utf8')
      expect(shown.includes(source), `all of ${file}`).to.equal(true)
    }
    expect(shown).to.have.length.above(6)
    for (const code of shown) {
      const text = code.replaceAll(/^ +/gm, '')
      expect(
        sources.some((source) => source.includes(text)),
        code,
      ).to.equal(true)
    }
  })

  it('have at most 60 lines', () => {
    for (const [name, file] of ALL_MOUNTS) {
      const text = readFileSync(path.join(EXAMPLES, name, file), 'utf8')
      expect(text.split('\n').length, file).to.be.at.most(60)
    }
  })

  for (const mount of MOUNTS) {
    const [name, file] = mount
    it(`${name}/${file} does the main job, and its own routes are left alone`, async () => {
      const port = await freePort()
      const link = await start(mount, port)

      const owner = browserClient({ base: BASE, port })
      const choose = (await owner.get(link)).page().form('/settings/passphrase')
      const onboarded = await owner.submit(choose, { passphrase: 'correct horse battery staple' })
      expect(onboarded.status).to.equal(302)

      const client = relyingParty({ issuer: BASE, port })
      await client.register({ client_name: 'Recipes' })
      const pending = await client.authorize({ scope: 'io.example.recipes:GET' })
      const consent = (await owner.get(pending.url)).page()
      const allowed = await owner.submit(consent.form('/auth/authorize'))
      const tokens = await client.exchange(String(allowed.location), pending)
      const recipes = (token: string): Promise<Response> =>
        client.call(token, 'GET', `${BASE}/recipes`)
      const answer = await recipes(tokens.access_token)
      expect(await answer.json()).to.deep.equal({ recipes: ['Soup of alice.example.com'] })

      const stranger = browserClient({ base: BASE, port })
      const refused = await stranger.get('/recipes', { headers: { accept: 'application/json' } })
      expect([refused.status, refused.text, refused.headers['www-authenticate']]).to.deep.equal([
        401,
        '{"error":"missing_token"}',
        'Bearer realm="alice.example.com"',
      ])
      const visit = await stranger.get('/recipes')
      expect([visit.status, visit.contentType]).to.deep.equal([401, 'text/html'])

      const echo = await stranger.request('POST', '/echo', {
        headers: { 'content-type': 'application/json' },
        body: '{"text":"left alone"}',
      })
      expect(echo.json()).to.deep.equal({ echo: { text: 'left alone' } })
      expect(echo.setCookie('theirs')?.value).to.equal('1')
      // Next varies its own answers.
      const added = ['cross-origin-resource-policy', ...(name === 'next' ? [] : ['vary'])]
      expect(echo.headers).to.not.have.any.keys(...added)
      const broken = await stranger.request('POST', '/echo', {
        headers: { 'content-type': 'application/json' },
        body: '{',
      })
      expect(broken.status).to.be.within(400, 500)
      const missing = await stranger.get('/nothing')
      const message = name === 'nest' ? 'Cannot GET /nothing' : 'No such page here'
      expect([missing.status, (missing.json() as { message?: unknown }).message]).to.deep.equal([
        404,
        message,
      ])
      expect((await stranger.get('/auth/nothing')).status).to.equal(404)
      const library = path.join(folder, 'package.json')
      const socket = await openSocket(library, new URL(BASE).host, port, '/echo')
      const closed = once(socket, 'close')
      const say = async (text: string): Promise<string> => {
        const heard = once(socket, 'message')
        socket.send(text)
        return String((await Promise.race([heard, closed]))[0])
      }
      expect(await say('left alone')).to.equal('left alone')
      const home = await owner.get('https://home.alice.example.com/')
      expect([home.status, home.contentType]).to.deep.equal([200, 'text/html'])

      const renewed = await client.refresh(String(tokens.refresh_token))
      expect((await recipes(renewed.access_token)).status).to.equal(200)
      await client.revoke(String(tokens.refresh_token))
      const dead = await recipes(renewed.access_token).catch((error: unknown) => error)
      expect(dead).to.be.instanceOf(WWWAuthenticateChallengeError)

      expect(await say('still there')).to.equal('still there')
      expect(await server?.stop(), 'exit code').to.equal(0)
      await closed
    })

    it(`${name}/${file} counts strangers by where they connect from, whatever they say`, async function () {
      needsLoopbackAddresses(this)
      const port = await freePort()
      const link = new URL(await start(mount, port))
      link.searchParams.set('registerToken', '0'.repeat(32))
      const guess = async (localAddress: string, said: string): Promise<number> => {
        const stranger = browserClient({ base: BASE, port, localAddress })
        const headers = { 'x-forwarded-for': said, 'x-real-ip': said, forwarded: `for=${said}` }
        return (await stranger.get(link.href, { headers })).status
      }
      for (let at = 0; at < GUESSES; at += 1) {
        expect(await guess('127.0.0.2', `192.0.2.${at}`)).to.equal(200)
      }
      expect(await guess('127.0.0.2', '192.0.2.200')).to.equal(429)
      expect(await guess('127.0.0.3', '127.0.0.2')).to.equal(200)
    })

    it(`${name}/${file} shows its owner no error: what it does not mount is absent`, async function () {
      needsChromium(this)
      const port = await freePort()
      const domain = `alice.localhost:${port}`
      const link = await start(mount, port, domain)
      const browser = await launchChromium({ port, domains: ['alice.localhost'] })
      const page = await browser.newPage()
      await onboardInBrowser(page, link, 'seven blue kettles on the roof')
      const faults = await firstPageFaults(page, domain)
      await browser.close()
      expect(faults).to.deep.equal([])
    })

    it(`${name}/${file} does what the contract says`, async () => {
      const port = await freePort()
      const link = await start(mount, port, `alice.localhost:${port}`)
      await choosePassphrase(link, 'correct horse battery staple', port)

      const expected = expectedFailures(name, file)
      const { code, printed } = await runContract(
        path.join(folder, 'node_modules/@svc/contract/dist/cli.js'),
        folder,
        `http://alice.localhost:${port}`,
        'correct horse battery staple',
        [`--profile=${path.join(EXAMPLES, 'contract.json')}`, `--expected=${expected}`],
      )
      expect(code, printed).to.equal(0)
      expect(Number(/(\d+) passed/.exec(printed)?.[1]), printed).to.be.at.least(370)
    })
  }
})
