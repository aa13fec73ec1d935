import type { AppManifest } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import {
  type BrowserClient,
  type BrowserResponse,
  type RelyingParty,
  relyingParty,
} from '@svc/testkit'
import { expect } from 'chai'
import { trustBrowser } from '../support/second-step.ts'
import { beforeEach, describe, it } from 'mocha'
import { enableMail, ownerAt, startFactors } from '../support/factor-flows.ts'
import { sampleApp } from '../support/sample-instance.ts'
import { ALICE, createAlice, logIn, startUi, type UiServer } from '../support/ui-server.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const apps: readonly AppManifest[] = [
  sampleApp('home'),
  sampleApp('drive'),
  {
    ...sampleApp('settings'),
    permissions: { sessions: { type: 'io.svc.sessions', verbs: ['GET'] } },
  },
]

interface Entry {
  readonly type: string
  readonly id: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly links: { readonly self: string }
}

describe('GET /settings/access', () => {
  let server: UiServer
  let browser: BrowserClient
  let instance: Instance

  beforeEach(async () => {
    server = await startUi({
      oauth: {
        apps: {
          installed: async (_instance, slug) => apps.find((app) => app.slug === slug),
          listInstalled: async () => apps,
          available: async (_instance, slug) => apps.find((app) => app.slug === slug),
        },
      },
    })
    ;({ instance } = await createAlice(server))
    browser = server.browser(ALICE, { 'user-agent': FIREFOX })
    await logIn(browser)
  })

  async function ask(
    method: string,
    path: string,
    slug: string | undefined = 'settings',
  ): Promise<BrowserResponse> {
    const origin = `https://${slug}.alice.example.com`
    const page = await browser.get(`${origin}/`)
    const token = page.json<Record<string, string>>()['data-svc-token']
    return browser.request(method, path, {
      from: origin,
      headers: { authorization: `Bearer ${token}` },
    })
  }

  const list = async (): Promise<readonly Entry[]> =>
    (await ask('GET', '/settings/access')).json<{ data: readonly Entry[] }>().data

  /** A client that the owner allows what the fields say. */
  async function allow(
    fields: Readonly<Record<string, string>>,
    scope = 'io.svc.files:GET io.svc.contacts',
  ): Promise<{
    readonly party: RelyingParty
    readonly tokens: Awaited<ReturnType<RelyingParty['exchange']>>
  }> {
    const party = relyingParty({ issuer: ALICE, port: server.port })
    await party.register()
    const pending = await party.authorize({ scope })
    const page = await browser.get(pending.url)
    const shown = Object.fromEntries(page.page().form('/auth/authorize').fields)
    const kept = Object.entries(shown).filter(([name]) => !name.startsWith('permission-'))
    const chosen = { choice: '1', duration: 'until_revoked' }
    const posted = { ...Object.fromEntries(kept), ...chosen, ...fields }
    const answer = await browser.post('/auth/authorize', posted)
    return { party, tokens: await party.exchange(answer.location ?? '', pending) }
  }

  it('lists clients and sessions in one form, with what they may do and until when', async () => {
    const { party } = await allow({ 'permission-1': '1', duration: '1d' })
    const entries = await list()
    expect(entries.map(({ attributes }) => attributes['kind'])).to.deep.equal(['client', 'session'])
    const [client, session] = entries
    expect(client).to.include({ type: 'io.svc.oauth.clients', id: party.client.client_id })
    expect(client?.links.self).to.equal(`/settings/clients/${party.client.client_id}`)
    const about = client?.attributes ?? {}
    expect(about).to.include({
      name: 'Relying party',
      scope: 'io.svc.contacts',
      last_used_from: '127.0.0.1',
      platform: 'Linux',
    })
    const end = Date.parse(String(about['expires_at']))
    expect(end - server.clock.now()).to.be.within(86_390_000, 86_401_000)
    expect(about['permissions']).to.deep.equal([
      {
        scope: 'io.svc.contacts',
        text: 'Contacts: read, add, change, delete',
        kind: 'Contacts',
        verbs: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
        until: about['expires_at'],
      },
    ])
    expect(session?.attributes).to.include({
      name: 'Firefox, Linux',
      current: true,
      scope: '*',
      last_used_from: '127.0.0.1',
    })
    expect(session?.attributes['permissions']).to.deep.equal([
      { scope: '*', text: 'Everything in your space' },
    ])
    expect(session?.links.self).to.match(/^\/settings\/sessions\/[0-9a-f]{32}$/)
  })

  it('leaves out ends that there are not, and tells nothing secret', async () => {
    const { party, tokens } = await allow({ 'permission-0': '1' })
    const answer = await ask('GET', '/settings/access')
    const [client] = answer.json<{ data: readonly Entry[] }>().data
    expect(client?.attributes).to.not.have.any.keys('expires_at', 'client_kind')
    for (const secret of [party.client.client_secret, tokens.access_token, tokens.refresh_token])
      expect(answer.text).to.not.include(String(secret))
  })

  for (const name of ['unknown', 'undefined', 'constructor', '__proto__']) {
    it(`calls a kind of data named "${name}" by its name, on the page and in the lists`, async () => {
      const type = `io.svc.${name}`
      await allow({ 'permission-0': '1' }, `${type}:GET`)
      for (const path of ['/settings/access', '/settings/clients']) {
        const answer = await ask('GET', path)
        expect(answer.status, path).to.equal(200)
        const [client] = answer.json<{ data: readonly Entry[] }>().data
        expect(client?.attributes['permissions'], path)
          .to.be.an('array')
          .with.nested.property('[0].kind', `Data of type ${type}`)
      }
    })
  }

  it('names for each entry the address that ends it', async () => {
    const { party, tokens } = await allow({ 'permission-0': '1' })
    await logIn(server.browser(ALICE))
    const others = (await list()).filter(({ attributes }) => attributes['current'] !== true)
    expect(others).to.have.lengthOf(2)
    for (const { links } of others) expect((await ask('DELETE', links.self)).status).to.equal(204)
    expect((await list()).map(({ attributes }) => attributes['current'])).to.deep.equal([true])
    const call = await browser.another().get('/settings/passphrase', {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    })
    expect(call.status).to.equal(401)
    const refreshed = await party.refresh(String(tokens.refresh_token)).catch(() => 'refused')
    expect(refreshed).to.equal('refused')
    expect(await server.oauth.clients.list(instance)).to.deep.include({ clients: [] })
  })
})

describe('GET /settings/access with the second factor on', () => {
  let server: UiServer
  beforeEach(async () => {
    ;({ server } = await startFactors())
  })

  it('lists browsers that skip the second step, which open nothing alone', async () => {
    const owner = await ownerAt(server)
    await enableMail(server, owner)
    const browser = server.browser(ALICE, { 'user-agent': FIREFOX })
    await trustBrowser(server, browser)
    const list = async (): Promise<readonly Entry[]> =>
      (await owner.call('GET', '/settings/access'))
        .json<{ data: readonly Entry[] }>()
        .data.filter(({ attributes }) => attributes['kind'] === 'trusted_device')
    const [device] = await list()
    expect(device?.attributes).to.deep.include({ name: 'Firefox, Linux', permissions: [] })
    const livesMs = Date.parse(String(device?.attributes['expires_at'])) - server.clock.now()
    expect(livesMs / 86_400_000).to.be.within(89.9, 90)
    expect((await owner.call('DELETE', device?.links.self ?? '')).status).to.equal(204)
    expect(await list()).to.deep.equal([])
  })
})
