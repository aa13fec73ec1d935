import { type BrowserClient, eachStore } from '@svc/testkit'
import { expect } from 'chai'
import { trustBrowser } from '../support/second-step.ts'
import { enableMail, type OwnerAt, ownerAt, startFactors } from '../support/factor-flows.ts'
import { ALICE, logIn, type UiServer } from '../support/ui-server.ts'

const JSON_ONLY = { accept: 'application/json' }
const FIREFOX = 'Mozilla/5.0 (Android 15; Mobile; rv:150.0) Gecko/150.0 Firefox/150.0'

interface DeviceEntry {
  readonly type: string
  readonly id: string
  readonly attributes: {
    readonly name: string
    readonly browser?: string
    readonly os?: string
    readonly sessions: readonly { readonly id: string }[]
    readonly trusted: boolean
    readonly last_seen: string
    readonly ip?: string
    readonly current: boolean
  }
}

describe('the browsers of an owner (owner.md 4.2)', () => {
  eachStore((open) => {
    let server: UiServer
    let owner: OwnerAt
    beforeEach(async () => {
      ;({ server } = await startFactors({ store: await open() }))
      owner = await ownerAt(server)
    })
    afterEach(() => server.close())

    const list = async (by = owner): Promise<readonly DeviceEntry[]> =>
      (await by.call('GET', '/settings/devices')).json<{ data: readonly DeviceEntry[] }>().data
    const other = (rows: readonly DeviceEntry[]): DeviceEntry | undefined =>
      rows.find(({ attributes }) => !attributes.current)

    /** A browser that logs in, passes the second step and is trusted from then on. */
    async function trusted(): Promise<BrowserClient> {
      const browser = server.browser(ALICE, { 'user-agent': FIREFOX })
      await trustBrowser(server, browser)
      return browser
    }

    it('shows a browser once, logged in and trusted, and names it in the other lists too', async () => {
      await enableMail(server, owner)
      const browser = await trusted()
      const devices = await list()
      expect(devices).to.have.lengthOf(2)
      const device = other(devices)
      expect(device?.type).to.equal('io.svc.devices')
      expect(device?.attributes).to.include({
        name: 'Firefox, Android',
        browser: 'Firefox',
        os: 'Android',
        trusted: true,
        current: false,
        ip: '127.0.0.1',
      })
      const trusts = await owner.call('GET', '/settings/trusted_devices')
      const [trust] = trusts.json<{ data: { attributes: { device?: string } }[] }>().data
      expect(trust?.attributes.device).to.equal(device?.id)
      const current = await browser.get('/settings/sessions/current')
      const { data } = current.json<{ data: { id: string; attributes: { device?: string } } }>()
      expect(data.attributes.device).to.equal(device?.id)
      expect(device?.attributes.sessions.map(({ id }) => id)).to.deep.equal([data.id])
      expect(JSON.stringify(devices)).to.not.include(owner.browser.cookie('svcknown')?.value ?? '?')
    })

    it('knows a browser again after it logged out', async () => {
      const browser = server.browser(ALICE, { 'user-agent': FIREFOX })
      const there = await ownerAt(server, undefined, browser)
      const before = other(await list())?.id
      expect((await there.call('DELETE', '/auth/login')).status).to.equal(204)
      expect(await list()).to.have.lengthOf(1)
      await logIn(browser, {}, JSON_ONLY)
      expect(other(await list())?.id).to.equal(before)
      expect((await list()).map(({ id }) => id)).to.include(before)
    })

    it('forgets one: logged out, asked for the second step, and a stranger again', async () => {
      await enableMail(server, owner)
      const browser = await trusted()
      const { id = '' } = other(await list()) ?? {}
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => owner.call('DELETE', `/settings/devices/${id}`)),
      )
      for (const { status } of answers) expect(status).to.be.oneOf([204, 404])
      expect(answers.map(({ status }) => status)).to.include(204)
      expect(await list()).to.have.lengthOf(1)
      expect((await owner.call('GET', '/settings/trusted_devices')).json()).to.deep.include({
        data: [],
      })
      expect((await browser.get('/settings/sessions/current')).status).to.equal(404)
      const again = await logIn(browser, {}, JSON_ONLY)
      expect(again.json()).to.include.keys('two_factor_token')
      expect((await owner.call('DELETE', `/settings/devices/${id}`)).status).to.equal(404)
    })

    it('logs out when it is the own one', async () => {
      const [own] = await list()
      expect(own?.attributes.current).to.equal(true)
      expect((await owner.call('DELETE', `/settings/devices/${own?.id}`)).status).to.equal(204)
      expect((await owner.browser.get('/settings/sessions/current')).status).to.equal(404)
    })

    it('has rows of their own for sessions from before browsers had ids', async () => {
      const instance = await server.oauth.instances.byHost(new URL(ALICE).host)
      if (instance === undefined) throw new Error('alice is gone')
      const { session } = await server.ui.owners.createSession(instance)
      const rows = await list()
      expect(rows).to.have.lengthOf(2)
      expect(other(rows)?.id).to.equal(session.id)
      expect((await owner.call('DELETE', `/settings/devices/${session.id}`)).status).to.equal(204)
      expect(await list()).to.have.lengthOf(1)
    })
  })
})
