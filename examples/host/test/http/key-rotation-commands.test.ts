import type { Instance } from '@svc/platform'
import { recordKey } from '@svc/store'
import { type BrowserClient, until } from '@svc/testkit'
import { expect } from 'chai'
import { createInstance } from '../../src/create-instance.ts'
import { eachTestHost } from '../support/for-test.ts'
import { plantSession } from '../support/owner-parts.ts'
import type { AppAccess } from '../support/test-host.ts'
import { hostEnvironment, runSvc } from '../support/host-process.ts'

const APP = 'safe'

/** What still works. */
interface Works {
  readonly access: boolean
  readonly app: boolean
  readonly refresh: boolean
  readonly session: boolean
  readonly link: boolean
}
const ALL: Works = { access: true, app: true, refresh: true, session: true, link: true }

/** @see operation.md 3.10 */
describe('svc keys rotate', function () {
  this.timeout(60_000)
  const host = eachTestHost()
  /** Looks at everything that hangs on the keys of the first instance. */
  let look: () => Promise<Works>
  let bob: { readonly instance: Instance; readonly browser: BrowserClient }

  beforeEach(async () => {
    look = await useEveryKey()
    const { instance } = await createInstance(host.host.app, { domain: 'bob.example.com' })
    bob = { instance, browser: await loggedIn(instance) }
    expect(await look()).to.deep.equal(ALL)
    expect(await hasSession(bob.browser)).to.equal(true)
  })

  async function loggedIn({ origin, id }: Instance): Promise<BrowserClient> {
    const instance = await host.host.app.oauth.instances.byId(id)
    if (instance === undefined) throw new Error('the instance was just made')
    const browser = await host.browser(origin, { anonymous: true })
    await plantSession(host.host, instance, browser)
    return browser
  }

  async function hasSession(browser: BrowserClient): Promise<boolean> {
    return (await browser.get('/settings/sessions/current')).status === 200
  }

  async function useEveryKey(): Promise<() => Promise<Works>> {
    const { party, token, ...connected } = await host.connect('io.svc.notes')
    let { refreshToken } = connected
    const path = `/instances/${host.instance.domain}`
    await host.admin('POST', `${path}/apps`, { app: APP })
    const app = await host.appToken(APP)
    const anybody = await host.browser(undefined, { anonymous: true })
    const notes = async (access: AppAccess | string): Promise<number> =>
      (await host.call(access, 'GET', '/data/io.svc.notes')).status
    const attributes = { category: 'reminders', title: 'Reminder', content: 'Water' }
    const posted = await host.call(
      app,
      'POST',
      '/notifications',
      { data: { attributes } },
      { 'content-type': 'application/vnd.api+json' },
    )
    expect(posted.status, posted.text).to.equal(201)
    const link = await until(async () => {
      const mails = (await host.host.app.mailbox?.list(host.instance)) ?? []
      return mails.find(({ mail }) => mail.unsubscribe !== undefined)?.mail.unsubscribe?.url
    })
    const browser = await loggedIn(host.instance)
    return async () => {
      const refreshed = await party.refresh(refreshToken).catch(() => undefined)
      if (refreshed?.refresh_token !== undefined) refreshToken = refreshed.refresh_token
      return {
        access: (await notes(token)) === 200,
        // It may not read notes: a token that counts is told so.
        app: (await notes(app)) === 403,
        refresh: refreshed !== undefined,
        session: await hasSession(browser),
        link: (await anybody.get(link)).status === 200,
      }
    }
  }

  async function rotate(...args: readonly string[]): Promise<string> {
    const env = hostEnvironment({
      SVC_ADMIN_URL: `http://127.0.0.1:${host.host.adminPort}`,
      SVC_ADMIN_TOKEN: host.config.adminToken ?? '',
    })
    const { code, stdout, stderr } = await runSvc(['keys', 'rotate', ...args], env)
    expect(code, stderr).to.equal(0)
    return stdout
  }

  /** The number of the newest key that signs access tokens of an instance. */
  async function signingKey({ id }: Instance): Promise<number> {
    const record = await host.host.store.get<{ keys: { n: number }[] }>(
      recordKey(id, 'keys', 'access'),
    )
    return Math.max(0, ...(record?.value.keys ?? []).map(({ n }) => n))
  }

  it('--all gives every instance a new key, and everything that was given lives on', async () => {
    const before = [await signingKey(host.instance), await signingKey(bob.instance)]
    expect(await rotate('--all')).to.equal('New keys sign for 2 instances.\n')
    expect(await signingKey(host.instance)).to.be.above(before[0] ?? 0)
    expect(await signingKey(bob.instance)).to.be.above(before[1] ?? 0)
    expect(await look()).to.deep.equal(ALL)
    expect(await hasSession(bob.browser)).to.equal(true)
  })

  it('--all --revoke ends access tokens of clients, and neither sessions nor refresh tokens nor links', async () => {
    expect(await rotate('--all', '--revoke')).to.equal('New keys sign for 2 instances.\n')
    expect(await look()).to.deep.equal({ ...ALL, access: false })
  })

  it('--all --sessions ends every session of every owner, and what clients have lives on', async () => {
    const said = await rotate('--all', '--sessions')
    expect(said).to.equal('New keys sign for 2 instances.\n')
    expect(await look()).to.deep.equal({ ...ALL, app: false, session: false })
    expect(await hasSession(bob.browser)).to.equal(false)
    // The new key signs the next login.
    expect(await hasSession(await loggedIn(bob.instance))).to.equal(true)
  })

  it('--links ends the links of mails of one instance, and nothing else', async () => {
    expect(await rotate(bob.instance.domain, '--links')).to.include(bob.instance.domain)
    expect(await look()).to.deep.equal(ALL)
    const { domain } = host.instance
    expect(await rotate(domain, '--links')).to.equal(`A new key signs for ${domain}.\n`)
    expect(await look()).to.deep.equal({ ...ALL, link: false })
  })

  it('wants to know whose keys', async () => {
    const env = hostEnvironment({ SVC_ADMIN_URL: 'http://127.0.0.1:9', SVC_ADMIN_TOKEN: 'none' })
    for (const args of [[], ['alice.example.com', '--all']]) {
      const { code, stderr } = await runSvc(['keys', 'rotate', ...args], env)
      expect(code).to.equal(1)
      expect(stderr).to.include('Name an instance, or say --all.')
    }
  })
})
