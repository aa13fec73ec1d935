import { MINUTE_MS } from '@svc/platform'
import { addPasskeyDevice, type PasskeyDevice } from '../support/authenticators.ts'
import { suiteDeadEnds } from '../support/dead-end-stage.ts'
import type { DeadEndVisit } from '../support/dead-end-visit.ts'

describe('no dead end for passkeys', function () {
  this.timeout(60_000)
  const stage = suiteDeadEnds()

  interface PasskeyVisit extends DeadEndVisit {
    readonly device: PasskeyDevice
  }

  /** An owner whose browser has a passkey, and who is logged in. */
  async function visitWithPasskey(): Promise<PasskeyVisit> {
    const { ui } = stage.texts
    const visit = await stage.visit()
    const { owner, tab } = visit
    const device = await addPasskeyDevice(tab.page)
    await tab.page.goto(`${owner.origin}/auth/login`)
    await tab.givePassphrase()
    await tab.button(ui('passkey.task')).click()
    await tab.heading(ui('offer.added.title'))
    await tab.page.getByRole('link', { name: ui('offer.continue'), exact: true }).click()
    await tab.isHome()
    await device.answers(false)
    return { ...visit, device }
  }

  /** The same, on a page that asks for the passkey; nobody touches the device. */
  const PAGES = {
    async login({ tab, owner }: PasskeyVisit): Promise<() => Promise<void>> {
      await tab.logOut()
      await tab.page.goto(`${owner.origin}/auth/login`)
      await tab.button(stage.texts.ui('login.passkey')).waitFor()
      return () => tab.isHome()
    },
    async confirm({ tab, owner }: PasskeyVisit): Promise<() => Promise<void>> {
      const back = new URLSearchParams({ state: 'slept', redirect: `${owner.app('settings')}/` })
      await tab.page.goto(`${owner.origin}/auth/confirm?${back}`)
      await tab.button(stage.texts.ui('confirm.passkey')).waitFor()
      return () => tab.page.waitForURL((url) => url.origin === owner.app('settings'))
    },
  } as const

  /** The device sleeps: its clocks, but for the one that shows the time, stand still. */
  async function sleep({ tab }: DeadEndVisit): Promise<void> {
    stage.clock.advance(6 * MINUTE_MS)
    await tab.page.clock.setSystemTime(stage.clock.now())
  }

  it('an offer of a passkey that is taken up too late', async () => {
    const { ui } = stage.texts
    const { owner, tab } = await stage.visit()
    await addPasskeyDevice(tab.page)
    await tab.page.goto(`${owner.origin}/auth/login`)
    await tab.givePassphrase()
    await tab.button(ui('passkey.task')).waitFor()
    stage.clock.advance(6 * MINUTE_MS)
    await tab.button(ui('passkey.task')).click()
    await tab.confirm()
    await tab.button(ui('passkey.submit')).click()
    await tab.page.waitForURL((url) => url.origin === owner.app('settings'))
    await tab.page.locator('[data-factor=passkey] h4').waitFor()
  })

  for (const name of ['login', 'confirm'] as const) {
    it(`the button of the page ${name}, which slept`, async () => {
      const visit = await visitWithPasskey()
      const isThrough = await PAGES[name](visit)
      await sleep(visit)
      await visit.device.answers(true)
      await visit.tab.button(stage.texts.ui(`${name}.passkey`)).click()
      await isThrough()
    })

    it(`the list of the page ${name}, which slept`, async () => {
      const visit = await visitWithPasskey()
      const isThrough = await PAGES[name](visit)
      await sleep(visit)
      await visit.device.answers(true)
      await isThrough()
    })

    it(`a touch that comes too late on the page ${name}`, async () => {
      const visit = await visitWithPasskey()
      const isThrough = await PAGES[name](visit)
      // By the server's clock alone: the page does not see that what it asks with is too old.
      stage.clock.advance(6 * MINUTE_MS)
      await visit.device.answers(true)
      await visit.tab.button(stage.texts.ui(`${name}.passkey`)).click()
      await isThrough()
    })
  }
})
