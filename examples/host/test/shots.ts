/**
 * Pictures of every page, to be looked at: `pnpm shots [name…]`, into `screenshots/` or `SVC_SHOTS`.
 * 360 and 1280 px, light and dark; the other languages at 360 px, the pseudo-locale from right to left at 390 and 1280.
 */
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { appFolders } from '@svc/auth-ui'
import { launchChromium } from '@svc/testkit'
import type { Browser, Page } from 'playwright-core'
import { appServer } from '../../../packages/auth-ui/test/support/app-server.ts'
import { SAMPLES } from '../../../packages/auth-ui/test/support/sample-models.ts'
import { sampleServer } from '../../../packages/auth-ui/test/support/sample-server.ts'
import { HOME_APPS, homeAnswers } from '../../../packages/auth-ui/test/support/home-samples.ts'
import {
  assistantAnswers,
  brokenRecord,
  settingsAnswers,
  sixtyClients,
} from '../../../packages/auth-ui/test/support/settings-samples.ts'
import { MAIL_NAMES, mailServer } from './support/mail-server.ts'

interface Shot {
  readonly name: string
  readonly url: (locale: string) => string
  /** What the owner did before the picture. */
  readonly prepare?: (page: Page) => Promise<unknown>
  /** @defaultValue `LOOKS` */
  readonly looks?: readonly Look[]
}

interface Look {
  readonly width: number
  readonly scheme: 'light' | 'dark'
  readonly locale: string
}

const LOOKS: readonly Look[] = [
  { width: 360, scheme: 'light', locale: 'en' },
  { width: 360, scheme: 'dark', locale: 'en' },
  { width: 1280, scheme: 'light', locale: 'en' },
  { width: 1280, scheme: 'dark', locale: 'en' },
  { width: 360, scheme: 'light', locale: 'fr' },
  { width: 360, scheme: 'light', locale: 'de' },
  { width: 360, scheme: 'light', locale: 'es' },
  { width: 360, scheme: 'light', locale: 'en-XA' },
  { width: 390, scheme: 'light', locale: 'ar-XB' },
  { width: 1280, scheme: 'light', locale: 'ar-XB' },
]
const PHONE: readonly Look[] = [{ width: 390, scheme: 'light', locale: 'en' }]
const SETTINGS: readonly Look[] = [
  ...LOOKS,
  { width: 390, scheme: 'light', locale: 'en' },
  { width: 390, scheme: 'dark', locale: 'en' },
]
/** Mails have no pseudo-locale. */
const MAIL_LOOKS = LOOKS.filter(({ locale }) => !/-X[AB]$/u.test(locale))

const ACCOUNTS = [
  { _id: 'a1', account_type: 'demo-photos', name: '', oauth: { status: 'connected' } },
  { _id: 'a2', account_type: 'demo-photos', name: 'Old', oauth: { status: 'reconnect_required' } },
]
const KONNECTORS = [
  {
    id: 'io.svc.konnectors/demo-photos',
    type: 'io.svc.konnectors',
    attributes: {
      slug: 'demo-photos',
      name: 'Demo photos',
      account_types: ['demo-photos'],
      oauth: { account_type: 'demo-photos', scope: ['photos.read'] },
    },
  },
]
const NOTES = [
  { _id: 'n1', text: 'Call the dentist', at: '2026-01-02T10:00:00Z' },
  { _id: 'n2', text: 'Train at 18:40, platform 3', at: '2026-01-01T10:00:00Z' },
]

const folder = process.env['SVC_SHOTS'] ?? 'screenshots'
const wanted = process.argv.slice(2)
await mkdir(folder, { recursive: true })

const pages = await sampleServer()
type Answers = NonNullable<Parameters<typeof appServer>[0]['answers']>
const says =
  (body: unknown): Answers[string] =>
  (ctx) => {
    ctx.body = body
  }
const accounts: Answers = {
  'GET /data/io.svc.accounts': says({ documents: ACCOUNTS }),
  'GET /konnectors': says({ data: KONNECTORS }),
}
const settingsWith = (answers: Answers) => appServer({ folder: appFolders.settings, answers })
const assisted = await settingsWith({ ...assistantAnswers(), ...accounts })
const settings = await settingsWith({ ...settingsAnswers(), ...accounts })
const broken = await settingsWith({ ...settingsAnswers(), ...brokenRecord() })
const many = await settingsWith(settingsAnswers(sixtyClients()))
const none = await settingsWith({
  ...settingsAnswers([]),
  'GET /settings/checkup': says({ data: [] }),
})
const waits = await settingsWith({
  ...settingsAnswers(),
  'GET /settings/devices': () => new Promise(() => {}),
})
const fails = await settingsWith({
  ...settingsAnswers(),
  'GET /settings/clients': (ctx) => {
    ctx.status = 503
  },
})
const home = await appServer({
  folder: fileURLToPath(new URL('../apps/home', import.meta.url)),
  answers: { ...accounts, 'GET /data/io.svc.notes': says({ documents: NOTES }) },
})
const start = await appServer({ folder: appFolders.home, apps: HOME_APPS, answers: homeAnswers() })
const mails = await mailServer()
const servers = [pages, assisted, settings, broken, many, none, waits, fails, home, start, mails]
const browser = await launchChromium({ port: pages.port, domains: [] })
try {
  for (const shot of shots()) {
    if (wanted.length === 0 || wanted.some((part) => shot.name.includes(part)))
      await takeAll(browser, shot)
  }
} finally {
  await browser.close()
  for (const server of servers) await server.close()
}

function shots(): readonly Shot[] {
  const app =
    (origin: string, rest = '') =>
    (locale: string) =>
      `${origin}/?locale=${locale}${rest}`
  return [
    ...Object.keys(SAMPLES).map((name) => ({
      name,
      url: (locale: string) => `${pages.origin}/${name}?locale=${locale}`,
      ...(name.startsWith('consent') ? { looks: [...LOOKS, ...PHONE] } : {}),
    })),
    {
      name: 'login-shown',
      url: (locale) => `${pages.origin}/login?locale=${locale}`,
      prepare: async (page) => {
        await page.locator('#passphrase').fill('correct horse battery staple')
        await page.locator('[data-shows]').click()
      },
    },
    ...['login', 'confirm-app'].map((name) => ({
      name: `${name}-by-passkey`,
      url: (locale: string) => `${pages.origin}/${name}?locale=${locale}`,
      prepare: async (page: Page) => {
        await page.evaluate(() => localStorage.setItem('passkey-used', '1'))
        await page.reload()
        await page.locator('#passkey-button').waitFor()
      },
    })),
    {
      name: 'choose-moderate',
      url: (locale) => `${pages.origin}/choose?locale=${locale}`,
      prepare: (page) => page.locator('#passphrase').fill('correct horse bat'),
    },
    {
      name: 'choose-weak',
      url: (locale) => `${pages.origin}/choose?locale=${locale}`,
      prepare: async (page) => {
        await page.locator('#passphrase').fill('secret')
        await page.locator('[type=submit]').click()
      },
    },
    {
      name: 'consent-details',
      url: (locale) => `${pages.origin}/consent?locale=${locale}`,
      prepare: async (page) => {
        for (const summary of await page.locator('summary').all()) await summary.click()
      },
    },
    ...MAIL_NAMES.map((name) => ({
      name: `mail-${name}`,
      url: (locale: string) => `${mails.origin}/${name}?locale=${locale}`,
      looks: MAIL_LOOKS,
    })),
    { name: 'home', url: app(home.origin) },
    { name: 'start-page', url: app(start.origin) },
    { name: 'settings-overview', url: app(settings.origin), looks: SETTINGS },
    { name: 'settings-good', url: app(none.origin), looks: SETTINGS },
    { name: 'settings-profile', url: app(settings.origin, '#/profile'), looks: SETTINGS },
    { name: 'settings-security', url: app(settings.origin, '#/security'), looks: SETTINGS },
    { name: 'settings-passphrase', url: app(settings.origin, '#/security/passphrase') },
    { name: 'settings-devices', url: app(settings.origin, '#/devices'), looks: SETTINGS },
    {
      name: 'settings-apps',
      url: app(settings.origin, '#/apps'),
      looks: SETTINGS,
      prepare: openFirst,
    },
    {
      name: 'settings-assistants',
      url: app(assisted.origin, '#/apps'),
      prepare: async (page) => {
        await page.getByText('Sage').first().waitFor()
        for (const details of await page.locator('[data-part=as1] summary').all()) {
          await details.click()
        }
      },
      looks: SETTINGS,
    },
    {
      name: 'settings-put-back',
      url: app(assisted.origin, '#/apps'),
      prepare: async (page) => {
        await page.locator('[data-part=changes] summary').click()
        await page.getByRole('listitem').filter({ hasText: 'Shopping' }).waitFor()
      },
      looks: SETTINGS,
    },
    { name: 'settings-sixty', url: app(many.origin, '#/apps') },
    { name: 'settings-none', url: app(none.origin, '#/apps') },
    { name: 'settings-activity', url: app(settings.origin, '#/activity'), prepare: openFirst },
    { name: 'settings-activity-broken', url: app(broken.origin, '#/activity'), looks: SETTINGS },
    {
      name: 'settings-loading',
      url: app(waits.origin, '#/devices'),
      prepare: (page) => page.locator('.loading').waitFor(),
    },
    { name: 'settings-failed', url: app(fails.origin, '#/apps') },
    {
      name: 'settings-offline',
      url: app(settings.origin, '#/devices'),
      prepare: async (page) => {
        await page.context().setOffline(true)
        await page.locator('#offline').waitFor()
      },
    },
    {
      name: 'settings-phone',
      url: app(settings.origin, '#/profile'),
      prepare: async (page) => {
        await page.evaluate(() => {
          const until = new Date().getTime() + 60_000
          const proof = JSON.stringify({ code: 'c', state: 's', until })
          sessionStorage.setItem('svc.confirmation.proof', proof)
        })
        await page.locator('[data-part=phone] button').nth(1).click()
        await page.locator('#new-phone').waitFor()
      },
    },
    {
      name: 'settings-saved',
      url: app(settings.origin, '#/profile'),
      prepare: async (page) => {
        await page.getByRole('button').filter({ hasText: /./u }).nth(1).click()
        await page.locator('.said').filter({ hasText: /./u }).waitFor()
      },
    },
    {
      name: 'settings-factor-remove',
      url: app(settings.origin, '#/security'),
      prepare: (page) => page.locator('[data-factor=recovery] .button--danger-quiet').click(),
    },
    {
      name: 'settings-revoke',
      url: app(settings.origin, '#/apps'),
      prepare: async (page) => {
        await openFirst(page)
        await page.locator('.item .button--danger-quiet').first().click()
      },
    },
  ]
}

async function openFirst(page: Page): Promise<void> {
  await page.locator('.item summary').first().click()
}

async function takeAll(from: Browser, { name, url, prepare, looks = LOOKS }: Shot): Promise<void> {
  for (const { width, scheme, locale } of looks) {
    const page = await from.newPage({ viewport: { width, height: 760 }, colorScheme: scheme })
    await page.goto(url(locale))
    if (name !== 'settings-loading') await page.waitForLoadState('networkidle')
    await prepare?.(page)
    const path = `${folder}/${name}-${width}-${scheme}-${locale}.png`
    await page.screenshot({ path, fullPage: true })
    await page.close()
  }
}
