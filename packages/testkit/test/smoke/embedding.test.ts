import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { freePort } from '@svc/store/testing'
import { expect } from 'chai'
import { WWWAuthenticateChallengeError } from 'oauth4webapi'
import type { Browser, Locator, Request } from 'playwright-core'
import {
  addAuthenticator,
  browserClient,
  firstPageFaults,
  installPackages,
  launchChromium,
  type Mailbox,
  needsChromium,
  onboardInBrowser,
  openMailbox,
  relyingParty,
  sharedPackages,
} from '../../src/index.ts'
import { suiteFolder } from '../support/folders.ts'
import { openSocket, type Socket, suiteServers } from '../support/servers.ts'

const ROOT = path.resolve(import.meta.dirname, '../../../..')
const PASSPHRASE = 'seven blue kettles on the roof'

describe('the server of docs/embedding.md, on the packed packages', function () {
  this.timeout(180_000)

  const start = suiteServers()
  const folder = suiteFolder()
  let mailbox: Mailbox
  let browser: Browser | undefined
  let callback: Callback | undefined

  before(async () => {
    mailbox = await openMailbox()
    installPackages(sharedPackages(ROOT), folder, {
      '@types/koa': '3.0.3',
      '@types/node': '24.19.2',
      koa: '3.3.0',
    })
    writeFileSync(path.join(folder, 'server.mjs'), serverOf('docs/embedding.md'))
  })

  after(async () => {
    await browser?.close()
    await callback?.close()
    await mailbox.close()
  })

  /** Starts the lines with a store of their own. @returns the link that they print */
  async function startServer(domain: string, port: number): Promise<string> {
    const cwd = mkdtempSync(path.join(folder, 'data-'))
    const env = { DOMAIN: domain, PORT: String(port), SMTP_PORT: String(mailbox.port) }
    const link = /^ {2}Owner +(\S+) +\(works once\)$/
    return start(path.join(folder, 'server.mjs'), cwd, env, link)
  }

  it('has about 30 lines', () => {
    const lines = serverOf('docs/embedding.md').split('\n')
    // Those that import are not counted: there is one for each package.
    const own = lines.filter((line) => line.trim() !== '' && !line.startsWith('import '))
    expect(own).to.have.length.of.at.most(30)
  })

  it('is the one of the README', () => {
    expect(serverOf('README.md')).to.equal(serverOf('docs/embedding.md'))
  })

  it('is right for the type checker, without skipping the packages', () => {
    const settings = {
      compilerOptions: {
        target: 'es2024',
        module: 'nodenext',
        strict: true,
        noEmit: true,
        skipLibCheck: false,
        allowJs: true,
        checkJs: true,
        types: ['node'],
      },
      files: ['server.mjs'],
    }
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(settings))
    expect(typeErrors(folder)).to.equal('')
  })

  it('does the main job', async () => {
    const port = await freePort()
    const domain = `alice.localhost:${port}`
    const base = `http://${domain}`
    const link = await startServer(domain, port)

    const owner = browserClient({ base, port })
    const choose = (await owner.get(link)).page().form('/settings/passphrase')
    const onboarded = await owner.submit(choose, { passphrase: 'correct horse battery staple' })
    expect(onboarded.status).to.equal(302)

    const client = relyingParty({ issuer: base, port })
    await client.register({ client_name: 'Notes', notifications: { reminders: {} } })
    const scope = 'io.svc.files:GET,POST io.svc.notifications:POST'
    const pending = await client.authorize({ scope })
    const consent = (await owner.get(pending.url)).page()
    expect(consent.text).to.contain('Notes')
    const allowed = await owner.submit(consent.form('/auth/authorize'))
    expect(allowed.status).to.equal(302)
    const tokens = await client.exchange(String(allowed.location), pending)

    const files = await client.call(tokens.access_token, 'GET', `${base}/files`)
    expect(await files.json()).to.deep.equal({ files: [`notes of ${domain}`] })

    const realtime = path.join(folder, 'node_modules/@svc/realtime/package.json')
    const socket = await openSocket(realpathSync(realtime), domain, port, '/realtime/')
    socket.send(JSON.stringify({ method: 'AUTH', payload: tokens.access_token }))
    socket.send(JSON.stringify({ method: 'SUBSCRIBE', payload: { type: 'io.svc.files' } }))
    // Messages are worked on one after the other: the answer to this one says that the others were.
    const refusal = nextMessage(socket)
    socket.send(JSON.stringify({ method: 'SUBSCRIBE', payload: { type: 'io.svc.contacts' } }))
    expect(await refusal).to.have.nested.property('payload.code', 'forbidden')
    const event = nextMessage(socket)
    const target = `${base}/realtime/io.svc.files/one`
    await client.call(tokens.access_token, 'POST', target, { name: 'a.txt' })
    expect(await event).to.have.nested.property('payload.doc.name', 'a.txt')

    const attributes = { category: 'reminders', title: 'Water the plants', message: 'Today' }
    const notifications = `${base}/notifications`
    const posted = await client.call(tokens.access_token, 'POST', notifications, {
      data: { attributes },
    })
    expect(posted.status).to.equal(201)
    const mail = await mailbox.waitForMail(({ subject }) => subject?.includes('plants') === true)
    expect(mail.envelopeTo).to.deep.equal(['alice@example.com'])
    expect(mail.text).to.contain('Today')

    const start = await owner.get('/accounts/bank/start?state=one', {
      headers: { accept: 'application/vnd.api+json' },
    })
    expect(start.json()).to.have.nested.property('errors[0].code', 'account_type_not_found')

    const renewed = await client.refresh(String(tokens.refresh_token))
    expect((await client.call(renewed.access_token, 'GET', `${base}/files`)).status).to.equal(200)

    const ended = once(socket, 'close')
    await client.revoke(String(tokens.refresh_token))
    const refused = await client
      .call(renewed.access_token, 'GET', `${base}/files`)
      .catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(WWWAuthenticateChallengeError)
    await ended
  })

  it('shows its owner no error: what these lines do not mount is absent', async function () {
    needsChromium(this)
    const port = await freePort()
    const domain = `alice.localhost:${port}`
    const link = await startServer(domain, port)
    browser = await launchChromium({ port, domains: ['alice.localhost'] })
    const page = await browser.newPage()
    await onboardInBrowser(page, link, PASSPHRASE)
    expect(await firstPageFaults(page, domain)).to.deep.equal([])
    const menu = page.locator('#sections')
    expect(await menu.getByRole('link', { name: 'Activity' }).count()).to.equal(0)
    expect(await menu.getByRole('link', { name: 'Notifications' }).count()).to.equal(1)
    await browser.close()
  })

  it('greets its owner in a browser: home, settings, a passkey, a client and its end', async function () {
    needsChromium(this)
    const port = await freePort()
    const domain = `alice.localhost:${port}`
    const origin = `http://${domain}`
    const settings = `http://settings.${domain}`
    const link = await startServer(domain, port)
    const answers = await openCallback()
    callback = answers
    browser = await launchChromium({ port, domains: ['alice.localhost'] })
    const page = await browser.newPage()
    const sent: Request[] = []
    const notPages: string[] = []
    page.on('request', (request) => sent.push(request))
    page.on('response', (response) => {
      const type = response.headers()['content-type'] ?? ''
      const isPage = response.status() === 302 || type.startsWith('text/html')
      if (response.request().isNavigationRequest() && !isPage) notPages.push(response.url())
    })
    const button = (name: string | RegExp): Locator => page.getByRole('button', { name })

    await onboardInBrowser(page, link, PASSPHRASE)
    await page.getByRole('heading', { name: 'Welcome to your space' }).waitFor()
    sent.length = 0
    await page.reload({ waitUntil: 'networkidle' })
    expect(new Set(sent.map((request) => request.method()))).to.deep.equal(new Set(['GET']))
    expect(await page.getByRole('alert').isVisible()).to.equal(false)

    await page.getByRole('link', { name: 'Settings' }).click()
    await page.waitForURL((url) => url.origin === settings)
    await addAuthenticator(page)
    await page.goto(`${settings}/#/security`)
    await button('Add a passkey').click()
    await page.locator('#passphrase').fill(PASSPHRASE)
    await page.locator('form button[type=submit]').first().click()
    await page.waitForURL((url) => url.pathname === '/auth/passkey')
    await page.locator('#label').fill('Laptop')
    await page.locator('main form button[type=submit]').first().click()
    await page.waitForURL((url) => url.origin === settings)
    await page.getByText('The passkey Laptop is added.').first().waitFor()

    const client = relyingParty({ issuer: origin, port, redirectUri: answers.address })
    await client.register({ client_name: 'Notes' })
    const pending = await client.authorize({ scope: 'io.svc.files:GET' })
    await page.goto(pending.url)
    await page.locator('#consent button[type=submit]').first().click()
    await page.waitForURL((url) => url.href.startsWith(answers.address))
    const { access_token: token } = await client.exchange(page.url(), pending)
    expect((await client.call(token, 'GET', `${origin}/files`)).status).to.equal(200)
    await page.goto(`${settings}/#/apps`)
    await page.getByText('What it can do').click()
    await button('Remove access of Notes').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove access' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await button('Remove access of Notes').waitFor({ state: 'detached' })
    const refused = await client
      .call(token, 'GET', `${origin}/files`)
      .catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(WWWAuthenticateChallengeError)

    for (const address of [
      `${origin}/files`,
      `${origin}/none`,
      `${origin}/`,
      `http://none.${domain}/`,
    ]) {
      await page.goto(address)
      await page.locator('h1').waitFor()
    }
    expect(notPages).to.deep.equal([])
  })
})

interface Callback {
  readonly address: string
  close(): Promise<void>
}

/** A page on this computer, where the client's answer goes. */
async function openCallback(): Promise<Callback> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><h1>Notes</h1>')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  return {
    address: `http://127.0.0.1:${port}/callback`,
    async close() {
      server.closeAllConnections()
      const closed = once(server, 'close')
      server.close()
      await closed
    },
  }
}

async function nextMessage(socket: Socket): Promise<unknown> {
  const [data] = (await once(socket, 'message')) as [Buffer] // what `ws` tells
  return JSON.parse(data.toString())
}

/** The TypeScript of a page's first `ts` block that is a whole program. */
function serverOf(document: string): string {
  const text = readFileSync(path.join(ROOT, document), 'utf8')
  const code = /```ts\n([\s\S]*?)```/.exec(text)?.[1]
  if (code === undefined) throw new Error(`${document} has no TypeScript`)
  return code
}

function typeErrors(cwd: string): string {
  try {
    execFileSync(path.join(ROOT, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd, encoding: 'utf8' })
    return ''
  } catch (error) {
    // What the checker printed.
    return (error as { stdout: string }).stdout
  }
}
