import {
  type AssistantClient,
  AssistantMemory,
  launchChromium,
  loopbackFetch,
  needsChromium,
  type LoopbackFetch,
  newSdk,
  oldSdk,
  scaledLimit,
  until,
} from '@svc/testkit'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { type CallbackServer, openCallbackServer } from '../support/callback-server.ts'
import { openDescription } from '../support/client-description.ts'
import { type HostProcess, spawnHost } from '../support/host-process.ts'
import { pythonSdk } from '../support/python-assistant.ts'

const PASSPHRASE = 'seven green kettles sing at dawn'
const DOMAIN = 'alice.localhost'
const ORIGIN = `http://${DOMAIN}`

interface Run {
  readonly name: string
  readonly open: (url: URL, memory: AssistantMemory, fetch: LoopbackFetch) => AssistantClient
  readonly isDescribed: boolean
  /** Asks the owner for more only when it has no refresh token. */
  readonly refreshesFirst?: boolean
}

/** What differs from the kits' own examples: assistants.md 3.8, decision D90. */
const BODIES: readonly Readonly<Record<string, unknown>>[] = [
  ...[undefined, null, '', ' '].map((client_name) => ({ client_name })),
  { token_endpoint_auth_method: undefined, grant_types: undefined, response_types: undefined },
  ...['client_secret_post', 'client_secret_basic', null].map((token_endpoint_auth_method) => ({
    token_endpoint_auth_method,
  })),
]

/** Of Python interpreters that have the SDK, separated by commas; CI has none. */
const PYTHONS = (process.env['SVC_TEST_PYTHON'] ?? '').split(',').filter((path) => path !== '')

// What "a URL alone" means: assistants.md, the first sentence.
describe('an assistant that is given nothing but the address', function () {
  this.timeout(90_000)
  const opened: (() => Promise<unknown>)[] = []
  let host: HostProcess
  let browser: Browser
  let page: Page
  let callback: CallbackServer

  const RUNS: readonly Run[] = [
    { name: 'SDK 2.4, which has a description', open: newSdk, isDescribed: true },
    { name: 'SDK 2.4, which registers', open: newSdk, isDescribed: false },
    {
      name: 'SDK 1.32, which has a description',
      open: oldSdk,
      isDescribed: true,
      refreshesFirst: true,
    },
    { name: 'SDK 1.32, which registers', open: oldSdk, isDescribed: false, refreshesFirst: true },
    ...PYTHONS.flatMap((python) =>
      [true, false].map((isDescribed) => ({
        name: `${python}, which ${isDescribed ? 'has a description' : 'registers'}`,
        open: (url: URL, memory: AssistantMemory) => pythonSdk(python, url, host.port, memory),
        isDescribed,
      })),
    ),
  ]

  before(async function () {
    needsChromium(this)
    host = await spawnHost({ env: { SVC_DEMO: 'on', SVC_DEMO_DOMAIN: DOMAIN } })
    opened.push(() => host.stop())
    callback = await openCallbackServer()
    opened.push(() => callback.close())
    browser = await launchChromium({ port: host.port, domains: [DOMAIN], isWhole: true })
    opened.push(() => browser.close())
    page = await browser.newPage({ locale: 'en' })
    const [link] = await until(() => /http\S+registerToken=\S+/.exec(host.notice))
    await page.goto(link)
    await page.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE)
    await page.locator('form button[type=submit]').click()
    await page.waitForURL(/home/)
  })
  after(async () => {
    for (const close of opened.splice(0).reverse()) await close()
  })

  for (const { name, open, isDescribed } of RUNS) {
    if (isDescribed) continue
    it(`gets to the end with each body that programs register today: ${name}`, async () => {
      const { redirectUri } = callback
      const { host: place } = new URL(redirectUri)
      for (const registers of BODIES) {
        const words = JSON.stringify(registers, (_name, value: unknown) => value ?? null)
        const title = 'client_name' in registers ? 'without a name' : `Body ${words}`
        const memory = new AssistantMemory(title, redirectUri, undefined, registers)
        const client = open(new URL(`${ORIGIN}/mcp`), memory, loopbackFetch({ port: host.port }))
        await askedBy(memory, () => client.connect())
        await page.goto(String(memory.asked))
        const who =
          'client_name' in registers ? `An app without a name, returns to ${place}` : title
        await page.getByText(who).waitFor()
        await page.getByRole('button', { name: 'Let it read for 24 hours' }).click()
        await client.finish(await callback.nextVisit())
        await client.connect()
        expect(await client.call('list_kinds'), words).to.be.an('object')
        const before = await client.refreshToken()
        await client.spoil()
        expect(await client.call('list_kinds'), words).to.be.an('object')
        expect(await client.refreshToken(), words)
          .to.be.a('string')
          .and.not.equal(before)
        await client.close()
      }
    })
  }

  for (const { name, open, isDescribed, refreshesFirst = false } of RUNS) {
    it(`finds its way, reads, is refused, asks for more, refreshes and is cut: ${name}`, async () => {
      const { redirectUri } = callback
      const title = `Assistant on ${name}`
      const description = isDescribed ? await openDescription(title, redirectUri) : undefined
      if (description !== undefined) opened.push(() => description.close())
      const memory = new AssistantMemory(title, redirectUri, description?.url)
      const fetch = loopbackFetch({ port: host.port })
      const client = open(new URL(`${ORIGIN}/mcp`), memory, fetch)

      await askedBy(memory, () => client.connect())
      await allow(client, 'Let an assistant read your data?', 'Let it read for 24 hours')
      await client.connect()
      expect(await client.tools()).to.include.members(['list_kinds', 'list', 'search', 'fetch'])
      const listed = await client.call('list', { kind: 'io.svc.contacts' })
      expect(listed).to.have.property('source', 'owner-document')

      // The owner ticked no write: it is refused, and the owner is asked for it.
      const write = (): Promise<unknown> =>
        client.call('create', {
          kind: 'io.svc.contacts',
          fields: { name: `Bob of ${name}` },
          key: 'bob',
        })
      if (refreshesFirst && memory.tokens !== undefined) {
        // This SDK asks the owner only without a refresh token; an app forgets it for that.
        delete memory.tokens.refresh_token
      }
      await askedBy(memory, write)
      await page.goto(String(memory.asked))
      await page.getByRole('heading', { name: 'Let an assistant change your data?' }).waitFor()
      await page.locator('#consent input[type=checkbox]:not(:checked)').first().check()
      await page.locator('#consent button[type=submit]').first().click()
      await client.finish(await callback.nextVisit())
      await client.connect()
      expect(await write()).to.have.property('id')

      // An access token that is no good any more is replaced without the owner.
      const before = await client.refreshToken()
      const { timesAsked } = memory
      await client.spoil()
      expect(await client.call('list_kinds')).to.be.an('object')
      expect(memory.timesAsked).to.equal(timesAsked)
      expect(await client.refreshToken())
        .to.be.a('string')
        .and.not.equal(before)

      await cut(title)
      const cutAt = performance.now()
      await askedBy(memory, () => until(async () => (await client.call('list_kinds')) && undefined))
      expect(performance.now() - cutAt, 'milliseconds until it noticed').to.be.lessThan(
        scaledLimit(1000),
      )
      await client.close()
    })
  }

  /** Does something that must end with the owner being asked. */
  async function askedBy(memory: AssistantMemory, work: () => Promise<unknown>): Promise<void> {
    const { timesAsked } = memory
    const error = await work().then(
      () => undefined,
      (reason: Error) => reason,
    )
    expect(error?.name ?? error?.constructor.name, String(error?.message)).to.match(
      /Unauthorized|Error/,
    )
    expect(memory.timesAsked, String(error)).to.equal(timesAsked + 1)
  }

  async function allow(client: AssistantClient, title: string, button: string): Promise<void> {
    await page.goto(String(client.memory.asked))
    await page.getByRole('heading', { name: title }).waitFor()
    await page.getByRole('button', { name: button }).click()
    await client.finish(await callback.nextVisit())
  }

  /** One tap in the settings. */
  async function cut(title: string): Promise<void> {
    await page.goto(`http://settings.${DOMAIN}/#/access`)
    const ended = page.waitForResponse(
      (response) => response.request().method() === 'DELETE' && response.status() === 204,
    )
    await page.getByRole('button', { name: `Remove access of ${title}` }).click()
    await ended
  }
})
