import type { Change, Store } from '@svc/store'
import { expect } from 'chai'
import { startWithSettings } from '../support/settings-server.ts'
import { exerciseCodeLogins } from '../support/exercise-code-logins.ts'
import { exerciseFactors } from '../support/exercise-factors.ts'
import { exercisePassphrase, NEW_VALUE } from '../support/exercise-passphrase.ts'
import { exerciseSecondStep } from '../support/exercise-second-step.ts'
import { confirmed, enableMail, ownerAt } from '../support/factor-flows.ts'
import { type LeakWatch, leakWatch } from '../support/leak-watch.ts'
import { trustBrowser } from '../support/second-step.ts'
import { createAlice, LOGIN_VALUE, logIn, PASSPHRASE, type UiServer } from '../support/ui-server.ts'

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
    server = await startWithSettings({
      own: watch.own,
      ui: { ...watch.ui, confirm: { authorizedHosts: [OUTER_HOST] } },
    })
    written = recordWrites(server.store)
    for (const known of [LOGIN_VALUE, PASSPHRASE, NEW_VALUE]) watch.note(known)
  })

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
    expect(errors).to.be.greaterThan(250)
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
    const device = await trustBrowser(server, browser)
    expect((await logIn(server.browser(), { 'trusted-device-token': device })).status).to.equal(302)
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
