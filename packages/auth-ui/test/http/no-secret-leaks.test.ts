import type { AppManifest } from '@svc/oauth-core'
import type { Change, Store } from '@svc/store'
import { expect } from 'chai'
import { exerciseCodeLogins } from '../support/exercise-code-logins.ts'
import { exerciseFactors } from '../support/exercise-factors.ts'
import { exercisePassphrase } from '../support/exercise-passphrase.ts'
import { exerciseSecondStep } from '../support/exercise-second-step.ts'
import { confirmed, enableMail, lastMail, ownerAt } from '../support/factor-flows.ts'
import { type LeakWatch, leakWatch } from '../support/leak-watch.ts'
import { sampleApp } from '../support/sample-instance.ts'
import { JSON_ONLY, passStep1, passStep2 } from '../support/second-step.ts'
import {
  createAlice,
  LOGIN_VALUE,
  logIn,
  PASSPHRASE,
  startUi,
  type UiServer,
} from '../support/ui-server.ts'

const APPS: readonly AppManifest[] = [
  sampleApp('home'),
  sampleApp('drive'),
  {
    ...sampleApp('settings'),
    permissions: {
      sessions: { type: 'io.svc.sessions' },
      settings: { type: 'io.svc.settings' },
    },
  },
]
const OUTER_HOST = 'bank.example.net'

/** What stays until it is taken away, of both packages. */
const LASTING = [
  'client',
  'client-name',
  'host',
  'host-below',
  'instance',
  'keys',
  'owner',
  'registration-token',
]

describe('10.1 secrets, over every flow there is', () => {
  let watch: LeakWatch
  let written: Put[]
  let server: UiServer
  beforeEach(async () => {
    watch = leakWatch()
    server = await startUi({
      own: watch.own,
      ui: { ...watch.ui, confirm: { authorizedHosts: [OUTER_HOST] } },
      oauth: {
        apps: {
          installed: async (_instance, slug) => APPS.find((app) => app.slug === slug),
          listInstalled: async () => APPS,
          available: async () => undefined,
        },
      },
    })
    written = recordWrites(server.store)
    for (const known of [LOGIN_VALUE, PASSPHRASE]) watch.note(known)
  })
  afterEach(() => server.close())

  it('are in no log, event, error, Location to another host, nor in the store, where they end', async () => {
    await createAlice(server, { email: 'alice@example.com' })
    await everyDay()
    await exerciseCodeLogins(server)
    await exerciseFactors(server)
    await exerciseSecondStep(server)
    await exercisePassphrase(server)
    await server.sentMails()
    expect(watch.leaks(server)).to.deep.equal([])
    expectHashedAndShortLived()
    const { secrets, errors, events, redirects } = watch.seen()
    expect(secrets).to.be.greaterThan(200)
    expect(errors).to.be.greaterThan(300)
    expect(events).to.be.greaterThan(5)
    expect(redirects).to.be.greaterThan(10)
  }).timeout(60_000)

  /** SPEC: security.md 109, 110 */
  function expectHashedAndShortLived(): void {
    for (const { key, value } of written) {
      expect(watch.heldIn(`${key} ${JSON.stringify(value)}`), key).to.deep.equal([])
    }
    const lasting = written.filter(({ expiresAt }) => expiresAt === undefined)
    const kinds = new Set(lasting.map(({ key }) => key.split(':')[1] ?? ''))
    expect([...kinds].toSorted()).to.deep.equal(LASTING)
  }

  it('are found by this test where they are', async () => {
    const { instance } = await createAlice(server)
    const code = await server.ui.owners.createSessionCode(instance)
    watch.note(code)
    await server.browser().post('/auth/confirm', { passphrase: LOGIN_VALUE, state: code })
    server.oauth.log.info('a leak', { code })
    expect(watch.leaks(server)).to.have.members([`event: ${code}`, `log a leak: ${code}`])
  })

  /** What the other flows do not: a trusted browser, a confirmation for another host, logging out. */
  async function everyDay(): Promise<void> {
    const owner = await ownerAt(server)
    await enableMail(server, owner)
    const browser = server.browser()
    const token = await passStep1(browser)
    const { passcode } = lastMail(server, 'two_factor')
    const trust = { 'two-factor-generate-trusted-device-token': 'on' }
    const passed = await passStep2(browser, token, passcode, trust, JSON_ONLY)
    const { two_factor_trusted_device_token: device } = passed.json<Record<string, string>>()
    const again = await logIn(server.browser(), { 'trusted-device-token': device })
    expect(again.status).to.equal(302)
    const outer = await confirmed(server, undefined, `https://${OUTER_HOST}/done`)
    expect(outer.confirmation_code).to.match(/^[0-9a-f]{32}$/)
    const query = new URLSearchParams({ state: 'another' })
    await browser.get(`/auth/confirm/${outer.confirmation_code}?${query}`)
    await owner.call('DELETE', '/auth/login/others')
    await owner.call('DELETE', '/auth/login')
    await owner.call('DELETE', '/auth/login')
  }
})

type Put = Extract<Change, { op: 'put' }>

/** Everything that is stored from now on. */
function recordWrites(store: Store): Put[] {
  const puts: Put[] = []
  const write = store.write.bind(store)
  store.write = (changes, options) => {
    puts.push(...changes.filter((change): change is Put => change.op === 'put'))
    return write(changes, options)
  }
  return puts
}
