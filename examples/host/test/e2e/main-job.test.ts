import { readFileSync } from 'node:fs'
import {
  launchChromium,
  loopbackFetch,
  needsChromium,
  needsRedis,
  type RelyingParty,
  relyingParty,
  takeShot,
  until,
  scaledLimit,
} from '@svc/testkit'
import { type RedisServer, startRedisServer } from '@svc/store/testing'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { type CallbackServer, openCallbackServer } from '../support/callback-server.ts'
import { type HostProcess, spawnHost } from '../support/host-process.ts'

const PASSPHRASE = 'seven green kettles sing at dawn'
const SCOPE = 'io.svc.contacts:GET,POST'

interface Run {
  readonly name: string
  readonly store: 'sqlite' | 'redis'
  readonly subdomains: 'nested' | 'flat'
  readonly locale: 'en' | 'fr'
}

/** The second process of a Redis run refuses what the first one's owner revoked. */
const RUNS: readonly Run[] = [
  { name: 'SQLite, nested app hosts', store: 'sqlite', subdomains: 'nested', locale: 'en' },
  { name: 'SQLite, flat app hosts, in French', store: 'sqlite', subdomains: 'flat', locale: 'fr' },
  { name: 'Redis, two processes', store: 'redis', subdomains: 'nested', locale: 'en' },
]

for (const { name, store, subdomains, locale } of RUNS) {
  describe(`the main job on ${name}`, function () {
    this.timeout(90_000)
    const opened: (() => Promise<unknown>)[] = []
    let hosts: readonly HostProcess[] = []
    let callback: CallbackServer
    let browser: Browser
    let origin: string
    let domain: string

    before(async function () {
      needsChromium(this)
      if (store === 'redis') needsRedis(this)
      const redis = store === 'redis' ? await openRedis() : undefined
      domain = subdomains === 'flat' ? 'alice.svc.localhost' : 'alice.localhost'
      origin = `http://${domain}`
      const first = await openHost(redis)
      hosts = redis === undefined ? [first, first] : [first, await openHost(redis, first.dataDir)]
      callback = await openCallbackServer()
      opened.push(() => callback.close())
      browser = await launchChromium({
        port: first.port,
        domains: [domain, 'svc.localhost'],
        isWhole: true,
      })
      opened.push(() => browser.close())
    })
    after(async () => {
      for (const close of opened.splice(0).reverse()) await close()
    })

    async function openRedis(): Promise<RedisServer> {
      const server = await startRedisServer()
      opened.push(() => server.stop())
      return server
    }

    async function openHost(redis?: RedisServer, dataDir?: string): Promise<HostProcess> {
      const host = await spawnHost({
        ...(dataDir !== undefined && { dataDir }),
        env: {
          SVC_DEMO: locale === 'en' ? 'on' : 'off',
          SVC_DEMO_DOMAIN: domain,
          SVC_SUBDOMAINS: subdomains,
          ...(redis !== undefined && { SVC_STORE: redis.url, SVC_KEYS: SEALING_KEY }),
        },
      })
      opened.push(() => host.stop())
      return host
    }

    async function onboardingLink([host]: readonly HostProcess[]): Promise<string> {
      if (locale === 'en') {
        const [link] = await until(() => /http\S+registerToken=\S+/.exec(host?.notice ?? ''))
        return link
      }
      const args = ['instance', 'create', domain, '--locale', locale, '--public-name', 'Alice']
      const created = await host?.svc(...args, '--json')
      expect(created).to.include({ code: 0 })
      return String((JSON.parse(created?.stdout ?? '') as { onboardingUrl: string }).onboardingUrl)
    }

    function outsideClient(host: HostProcess | undefined): RelyingParty {
      return relyingParty({
        issuer: origin,
        port: host?.port ?? 0,
        redirectUri: callback.redirectUri,
        metadata: { client_name: 'Address Book', client_kind: 'desktop' },
      })
    }

    it('goes from the onboarding link to a token, and from there to its end', async () => {
      const [first, second] = hosts
      const texts = textsOf(locale)
      const context = await browser.newContext({ locale, viewport: { width: 390, height: 844 } })
      const page = await context.newPage()
      const faults = watchFaults(page)
      const shot = (step: string): Promise<void> =>
        takeShot(page, `main-job-${store}-${subdomains}-${step}`)

      await page.goto(await onboardingLink(hosts))
      await page.getByLabel(texts.ui('choose.passphrase'), { exact: true }).fill(PASSPHRASE)
      await shot('1-onboarding')
      await page.getByRole('button', { name: texts.ui('choose.submit') }).click()
      await page.getByRole('heading', { name: texts.home('home.hello') }).waitFor()
      await shot('2-home')

      const client = outsideClient(first)
      await client.register()
      const pending = await client.authorize({ scope: SCOPE })
      await page.goto(pending.url)
      await page
        .getByRole('heading', { name: texts.ui('consent.title').replace('{name}', 'Address Book') })
        .waitFor()
      await shot('3-consent')
      await page.locator('#consent button[type=submit]').click()
      const tokens = await client.exchange(await callback.nextVisit(), pending)
      await page.getByRole('heading', { name: 'Connected' }).waitFor()

      const contacts = `${origin}/data/io.svc.contacts`
      const created = await client.call(tokens.access_token, 'POST', contacts, { name: 'Bob' })
      expect(created.status).to.equal(201)
      const listed = await client.call(tokens.access_token, 'GET', contacts)
      const { documents } = (await listed.json()) as { documents: { name: string }[] }
      expect(documents.map((each) => each.name)).to.deep.equal(['Bob'])

      const refreshed = await client.refresh(tokens.refresh_token ?? '')
      expect(refreshed.access_token).to.not.equal('')
      const elsewhere = loopbackFetch({ port: second?.port ?? 0 })
      const callElsewhere = (): Promise<Response> =>
        elsewhere(contacts, { headers: { authorization: `Bearer ${refreshed.access_token}` } })
      expect((await callElsewhere()).status).to.equal(200)

      await page.goto(`http://${settingsHost(domain, subdomains)}/`)
      const menu = page.getByRole('navigation', { name: texts.settings('app.sections') })
      await menu.getByRole('link', { name: texts.settings('apps.title') }).click()
      const row = page.locator('.item').filter({ hasText: 'Address Book' })
      await row.getByText(texts.settings('clients.may'), { exact: true }).click()
      await shot('4-settings')
      const revoke = texts.settings('clients.revoke.label').replace('{name}', 'Address Book')
      await page.getByRole('button', { name: revoke }).click()
      await shot('5-revoke')
      const answered = page.waitForResponse(
        (response) => response.request().method() === 'DELETE' && response.status() === 204,
      )
      await page
        .getByRole('dialog')
        .getByRole('button', { name: texts.settings('clients.revoke.confirm') })
        .click()
      await answered
      const revokedAt = performance.now()
      const last = await until(async () => {
        const answer = await callElsewhere()
        return answer.status === 401 && answer
      })
      const tookMs = performance.now() - revokedAt
      expect(last.headers.get('www-authenticate')).to.include('error="invalid_token"')
      expect(tookMs, 'milliseconds until the other process refused').to.be.lessThan(
        scaledLimit(1000),
      )
      await page.getByText(texts.settings('clients.none')).waitFor()
      await shot('6-revoked')

      const refusal = await client.refresh(tokens.refresh_token ?? '').then(
        () => 'refreshed',
        (error: { status?: number }) => error.status,
      )
      expect(refusal, 'the refresh after the end').to.equal(401)
      expect(faults, 'errors in the pages').to.deep.equal([])
      await context.close()
    })
  })
}

const SEALING_KEY = `e2e:${Buffer.from(Array.from({ length: 32 }, (_, at) => (at * 89 + 7) % 256)).toString('base64')}`

function settingsHost(domain: string, subdomains: 'nested' | 'flat'): string {
  if (subdomains === 'nested') return `settings.${domain}`
  const [first = '', ...rest] = domain.split('.')
  return [`${first}-settings`, ...rest].join('.')
}

/** What a script or a policy complained about. */
function watchFaults(page: Page): string[] {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  return faults
}

type Texts = (key: string) => string

function textsOf(locale: string): { ui: Texts; home: Texts; settings: Texts } {
  const read = (path: string): Texts => {
    const file = new URL(`../../../../${path}/${locale}.json`, import.meta.url)
    const texts = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
    return (key) => texts[key] ?? `no text ${key}`
  }
  return {
    ui: read('packages/auth-ui/locales'),
    home: read('examples/host/apps/home/locales'),
    settings: read('packages/auth-ui/settings-app/locales'),
  }
}
