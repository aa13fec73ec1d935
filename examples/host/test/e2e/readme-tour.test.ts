import { existsSync } from 'node:fs'
import path from 'node:path'
import { freePort, launchChromium, needsChromium, skipUnless } from '@svc/testkit'
import { expect } from 'chai'
import type { Browser, Locator, Page } from 'playwright-core'
import { type CleanClone, makeCleanClone, newcomerEnvironment } from '../support/clean-clone.ts'
import type { CommandResult } from '../support/host-process.ts'
import {
  commandsOf,
  readDocument,
  type ReadmeStep,
  readTour,
  ROOT,
  sectionOf,
} from '../support/readme-tour.ts'
import { openTerminals, type Terminal, type Terminals } from '../support/terminal.ts'
import { tourTexts } from '../support/tour-texts.ts'
import { watchPages } from '../support/tour-watch.ts'

const PASSPHRASE = 'seven green kettles sing at dawn'
const NEW_PASSPHRASE = 'four other words entirely'
/** What a page is waited for on a slow machine, milliseconds. */
const PAGE_MS = 60_000
const MINUTE_MS = 60_000

/** What npm says on machines whose settings it does not know. */
const NPM_WARNING = /^npm warn .*\n/gm

describe('the README and the tour, followed word by word in a clean clone', function () {
  this.timeout(8 * MINUTE_MS)
  const readme = readDocument('README.md')
  const tourPage = readDocument('docs/tour.md')
  const tour = readTour(tourPage)
  const { ui, home, settings, safe } = tourTexts('en')
  const watch = watchPages()
  /** The README's ports are taken where somebody runs a server: the tour has its own. */
  const ports = { public: 0, admin: 0, provider: 0 }
  let clone: CleanClone
  let terminals: Terminals
  let browser: Browser
  let page: Page
  let passphrase = PASSPHRASE
  const readMails = new Set<string>()

  before(async function () {
    needsChromium(this)
    for (const name of ['public', 'admin', 'provider'] as const) ports[name] = await freePort()
    clone = await makeCleanClone()
    const env = newcomerEnvironment({
      SVC_ADMIN_PORT: String(ports.admin),
      SVC_PORT: String(ports.public),
    })
    terminals = openTerminals(clone.folder, env)
    const [start = ''] = commandsOf(sectionOf(readme, 'Two commands'))
    const { code } = await terminals.run(start.replace(/ start$/, ' --version'))
    skipUnless(this, code === 0, 'npx cannot get the pnpm of the README')
    browser = await launchChromium({ port: ports.public, domains: ['localhost'] })
  })
  after(async () => {
    await browser?.close()
    await terminals?.close()
    await clone?.remove()
  })

  const here = (text: string): string =>
    text.replaceAll(':8080', `:${ports.public}`).replaceAll(':8090', `:${ports.provider}`)
  const allHere = (lines: readonly string[]): readonly string[] => lines.map(here)
  const origin = (app = ''): string => here(`http://${app}alice.localhost:8080`)
  const button = (name: string, on: Page | Locator = page): Locator =>
    on.getByRole('button', { name, exact: true })
  const link = (name: string, on: Page = page): Locator =>
    on.getByRole('link', { name, exact: true })

  /** A browser window without cookies. */
  async function openWindow(): Promise<Page> {
    const context = await browser.newContext({ locale: 'en' })
    context.setDefaultTimeout(PAGE_MS)
    await watch.add(context)
    return context.newPage()
  }

  /** Runs a command that succeeds, and prints nothing but what was asked for. */
  async function succeed(command: string): Promise<string> {
    const { code, stdout, stderr } = await runHere(command)
    expect({ code, stderr }, command).to.deep.equal({ code: 0, stderr: '' })
    return stdout
  }

  async function runHere(command: string): Promise<CommandResult> {
    const { stderr, ...rest } = await terminals.run(here(command))
    return { ...rest, stderr: stderr.replace(NPM_WARNING, '') }
  }

  /** What the newest mail with this subject says that was not read before. */
  async function newestMail(address: string, subject: RegExp, wanted: RegExp): Promise<string> {
    const mails = await page.context().newPage()
    for (const end = performance.now() + PAGE_MS; performance.now() < end; ) {
      await mails.goto(here(address))
      const mail = mails.getByRole('link', { name: subject })
      if ((await mail.count()) === 0) continue
      await mail.first().click()
      const found = wanted.exec(await mails.locator('pre').innerText())?.[0] ?? ''
      if (found === '' || readMails.has(found)) continue
      readMails.add(found)
      await mails.close()
      return found
    }
    throw new Error(`no new mail ${subject.source}`)
  }

  const mailedCode = (address: string): Promise<string> => newestMail(address, /code/i, /^\d{6}$/m)

  async function logIn(on: Page): Promise<void> {
    await on.getByLabel(ui('login.passphrase'), { exact: true }).fill(passphrase)
    await button(ui('login.submit'), on).click()
    await on.getByRole('heading', { name: ui('passcode.title'), exact: true }).waitFor()
  }

  async function giveCode(on: Page, code: string, submit: string): Promise<void> {
    await on.locator('#passcode').fill(code)
    await button(ui(submit), on).click()
  }

  async function isHome(on: Page): Promise<void> {
    await on.waitForURL((url) => url.origin === origin('home.'))
    await on.getByRole('heading', { name: home('home.hello') }).waitFor()
  }

  async function confirm(on: Page): Promise<void> {
    await on.getByRole('heading', { name: ui('confirm.title') }).waitFor()
    await on.getByLabel(ui('login.passphrase'), { exact: true }).fill(passphrase)
    await button(ui('confirm.submit'), on).click()
  }

  it('leads to files that exist', () => {
    const targets = Object.entries({ '.': readme, docs: tourPage }).flatMap(([folder, page]) =>
      [...page.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, to = '']) =>
        path.join(folder, to),
      ),
    )
    expect(targets).to.include.members(['docs/tour.md', 'docs/images/consent.png'])
    expect(targets.filter((target) => !existsSync(path.join(ROOT, target)))).to.deep.equal([])
  })

  it('has no command to paste that takes something from its reader', () => {
    const taking = /reset-passphrase|destroy|delete|remove|restore/
    const pasted = [readme, tourPage].flatMap(commandsOf)
    expect(pasted.filter((command) => taking.test(command))).to.deep.equal([])
  })

  it('shows what appears, from the first command to the last', async () => {
    const mails = '/dev/mails'
    let host: Terminal | undefined
    let client: Terminal | undefined
    const dialog = (): Locator => page.getByRole('dialog')

    const chapters: readonly ((step: ReadmeStep) => Promise<void>)[] = [
      async function start(step) {
        host = terminals.open(here(step.command('start')))
        const shown = allHere(step.shown())
        await host.shows(shown)
        await host.find(new RegExp(`^${step.code('{')}.*server\\.started`, 'm'), 'stderr')
        // Nothing else, beside its log.
        expect(host.said.stdout.trimEnd().split('\n')).to.have.length(shown.length)
      },

      async function openTheLink() {
        page = await openWindow()
        await page.goto((await host?.find(/http\S+registerToken=\S+/)) ?? '')
        await page.getByLabel(ui('choose.passphrase'), { exact: true }).fill(passphrase)
        await button(ui('choose.submit')).click()
        await isHome(page)
      },

      async function letSomebodyAsk(step) {
        client = terminals.open(`${step.command('client')} ${origin()}`)
        await page.goto(await client.find(/http\S+\/auth\/authorize\?\S+/))
        const asks = ui('consent.title', { name: 'Example client' })
        await page.getByRole('heading', { name: asks, exact: true }).waitFor()
        await button(step.word('Allow for 30 days')).click()
        await client.shows(step.shown())
        await page.goto(origin())
        await page.getByText('Written by the example client').waitFor()
      },

      async function takeItBack(step) {
        await page.goto(here(step.address('settings.alice.localhost:8080/#/apps')))
        const remove = step.word('Remove access')
        const row = page.locator('.item').filter({ hasText: 'Example client' })
        await row.getByText(step.word('What it can do'), { exact: true }).click()
        await button(settings('clients.revoke.label', { name: 'Example client' })).click()
        await button(remove, dialog()).click()
        await client?.shows(step.shown())
        expect(await client?.ended).to.equal(0)
      },

      async function makeItSafer(step) {
        const mailbox = step.address(mails)
        await page.goto(`${origin('settings.')}/`)
        await link(step.word('Login and security')).click()
        const card = page.locator('[data-factor]').filter({ hasText: step.word('Codes by email') })
        await button(step.word('Turn on'), card).click()
        await confirm(page)
        const field = page.getByLabel(settings('mail.step.code'), { exact: true })
        await field.waitFor()
        await field.fill(await mailedCode(mailbox))
        await button(settings('mail.step.submit')).click()
        await button(step.word('Create recovery codes')).click()
        const recovery = await page.locator('.codes code').first().innerText()
        await button(settings('recovery.kept')).click()
        await page.getByText(settings('recovery.left', { count: 10 })).waitFor()
        // It would ask for more in vain when its session ends below.
        await page.goto('about:blank')

        const other = await openWindow()
        await other.goto(here(step.address('/alice.localhost:8080/')))
        await logIn(other)
        await button(step.word('Use a recovery code'), other).click()
        await giveCode(other, recovery, 'passcode.submit.login')
        await isHome(other)

        await button(home('home.logOut'), other).click()
        await link(step.word('Forgot your passphrase?'), other).click()
        await button(step.word('Email me the link'), other).click()
        await other.waitForURL((url) => url.pathname === '/auth/login')
        await other.goto(await newestMail(mailbox, /new passphrase/, /http\S+renew\S+/))
        passphrase = NEW_PASSPHRASE
        await other.getByLabel(ui('renew.passphrase'), { exact: true }).fill(passphrase)
        await button(ui('renew.submit'), other).click()
        await logIn(other)
        await giveCode(other, await mailedCode(mailbox), 'passcode.submit.login')
        await isHome(other)
        await other.context().close()
      },

      async function guardWhatMatters(step) {
        await page.goto(here(step.address('safe.alice.localhost:8080/')))
        const mailbox = `${origin()}${mails}`
        await logIn(page)
        await giveCode(page, await mailedCode(mailbox), 'passcode.submit.login')
        await page.getByLabel(safe('notes.title')).fill('Bank')
        await page.getByLabel(safe('notes.text')).fill('PIN 4711')
        await button(safe('notes.add')).click()
        const [opened] = await Promise.all([
          page.context().waitForEvent('page'),
          button(step.word('Show the notes')).click(),
        ])
        await confirm(opened)
        await giveCode(opened, await mailedCode(mailbox), 'passcode.submit.confirm')
        await page.getByText('PIN 4711').waitFor()
      },

      async function beTold(step) {
        expect(await succeed(step.command('svc notification send'))).to.match(/ is queued\.\n$/)
        const list = step.command('svc notification list')
        expect(await succeed(list)).to.match(/ operator .* Hello$/m)
        await page.goto(origin())
        await button(home('inbox.unread', { count: 1 })).click()
        await page.getByText('Hello', { exact: true }).waitFor()
        await newestMail(step.address(mails), /Hello/, /Hello/)
        await page.goto(here(step.address('/dev/outbox')))
        await page.goto(`${origin('settings.')}/`)
        await link(step.word('Notifications')).click()
        await page.getByRole('heading', { name: settings('quiet.title') }).waitFor()

        // A fault is told in words, too, and in nothing else.
        const [withoutDomain = ''] = list.split(' alice')
        expect(await runHere(withoutDomain)).to.deep.equal({
          code: 1,
          stdout: '',
          stderr: "error: missing required argument 'domain'\n",
        })
      },

      async function connectAnAccount(step) {
        const provider = terminals.open(
          `${step.command('svc dev-provider')} --port ${ports.provider}`,
        )
        const grants = here(step.address('/grants'))
        await provider.shows([`…${grants}`])
        const name = { name: step.word('Demo photos') }
        await page.goto(origin())
        const connect = step.word(home('accounts.connect', name))
        const [popup] = await Promise.all([
          page.context().waitForEvent('page'),
          button(connect).click(),
        ])
        await button(step.word('Allow'), popup).click()
        await page.locator('#accounts-notice').getByText(home('accounts.connected', name)).waitFor()
        const fetchPhotos = step.command('svc konnector run')
        expect(await succeed(fetchPhotos)).to.include('Lighthouse in the fog')

        const there = await page.context().newPage()
        await there.goto(grants)
        await button(step.word('Revoke'), there).click()
        await there.getByText('Nobody has access').waitFor()
        const refused = await runHere(fetchPhotos)
        expect(refused, refused.stderr).to.include({ code: 1, stdout: '' })
        await page.getByText(step.word('Reconnect'), { exact: true }).waitFor()
        await provider.interrupt()
      },

      async function lookBehind(step) {
        const list = step.command('svc instance list')
        expect(await succeed(list)).to.include(here('alice.localhost:8080'))
        const { instances } = JSON.parse(await succeed(`${list} ${step.code('--json')}`)) as {
          readonly instances: readonly object[] // as the command says
        }
        expect(instances).to.have.length(1)
        expect(await succeed(step.command('svc instance update'))).to.match(/^Changed /)
        await page.context().close()
        page = await openWindow()
        await page.goto(origin())
        await button(ui('login.magicLink')).waitFor()
        const reset = await succeed(
          list.replace('svc instance list', step.code('svc instance reset-passphrase')) +
            ' alice.localhost:8080',
        )
        passphrase = /It is now:\n {2}(\S.*)$/m.exec(reset)?.[1] ?? ''
        await logIn(page)
        const help = await succeed(step.command('svc --help'))
        expect(help)
          .to.match(/^Usage: svc /)
          .and.include('notification')
          .and.include('mails')
        await host?.interrupt()
        expect(host?.said.stderr).to.include('server.stopped')
      },
    ]

    expect(tour.steps).to.have.length(chapters.length)
    for (const [at, step] of tour.steps.entries()) {
      try {
        await chapters[at]?.(step)
      } catch (cause) {
        throw new Error(`step ${step.title}: ${(cause as Error).message}`, { cause })
      }
    }
    expect(tour.untaken(), 'what the tour says and nothing checked').to.deep.equal([])
    expect(watch.take(), 'what went wrong in pages').to.deep.equal([])
  })

  it('runs the suites with the other command', async () => {
    const [, test = ''] = commandsOf(sectionOf(readme, 'Two commands'))
    const { code, stdout, stderr } = await terminals.run(`${test} --level unit --package store`)
    expect(stdout, stderr).to.match(/^\d+ passed, 0 failed$/m)
    expect(code).to.equal(0)
  })
})
