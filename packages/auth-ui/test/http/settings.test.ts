import type { AppManifest } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import { type BrowserClient, type BrowserResponse, relyingParty } from '@svc/testkit'
import { expect } from 'chai'
import { sampleApp } from '../support/sample-instance.ts'
import { ALICE, createAlice, logIn, startUi, type UiServer } from '../support/ui-server.ts'

const apps: readonly AppManifest[] = [
  sampleApp('home'),
  { ...sampleApp('drive'), permissions: { files: { type: 'io.svc.files' } } },
  {
    ...sampleApp('settings'),
    permissions: {
      sessions: { type: 'io.svc.sessions', verbs: ['GET'] },
      settings: { type: 'io.svc.settings', verbs: ['GET'] },
    },
  },
]

/** `drive` could be installed, and is not. */
const withoutDrive = apps.filter(({ slug }) => slug !== 'drive')

describe('settings (login.md 7, D51)', () => {
  let installed = apps
  let server: UiServer
  let browser: BrowserClient
  let instance: Instance
  beforeEach(async () => {
    installed = apps
    server = await startUi({
      oauth: {
        apps: {
          installed: async (_instance, slug) => installed.find((app) => app.slug === slug),
          listInstalled: async () => apps,
          available: async (_instance, slug) => apps.find((app) => app.slug === slug),
        },
      },
    })
    ;({ instance } = await createAlice(server))
    browser = server.browser(ALICE, {
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    })
    await logIn(browser)
  })

  async function ask(
    slug: string | undefined,
    method: string,
    path: string,
  ): Promise<BrowserResponse> {
    const origin = `https://${slug ?? 'settings'}.alice.example.com`
    const page = await browser.get(`${origin}/`)
    const token = page.json<Record<string, string>>()['data-svc-token']
    const headers = slug === undefined ? {} : { authorization: `Bearer ${token}` }
    return browser.request(method, path, { from: origin, headers })
  }

  it('lists sessions with what is known of them, never a cookie', async () => {
    await logIn(browser.another(), { 'long-run-session': 'on' })
    const answer = await ask('settings', 'GET', '/settings/sessions')
    const { data } = answer.json<{ data: { type: string; id: string; attributes: object }[] }>()
    expect(data).to.have.lengthOf(2)
    const [newer, older] = data
    expect(newer?.attributes).to.include({ long_run: true, short_run: false, current: false })
    expect(older?.type).to.equal('io.svc.sessions')
    expect(older?.attributes).to.include({
      long_run: false,
      current: true,
      login_method: 'password',
      os: 'Linux',
      browser: 'Firefox',
      ip: '127.0.0.1',
    })
    expect(older?.attributes).to.include.keys('created_at', 'last_seen')
    expect(answer.text).not.to.include(browser.cookie('svcsessid')?.value)
  })

  it('shows the current session to its cookie', async () => {
    const answer = await browser.get('/settings/sessions/current')
    expect(answer.status).to.equal(200)
    expect(answer.json<{ data: { attributes: object } }>().data.attributes).to.include({
      current: true,
    })
    expect((await browser.another().get('/settings/sessions/current')).status).to.equal(404)
  })

  it('ends one session, and logs out when it is the own one', async () => {
    const other = browser.another()
    await logIn(other)
    const [newer, older] = await server.ui.owners.listSessions(instance)
    expect((await ask('settings', 'DELETE', `/settings/sessions/${newer?.id}`)).status).to.equal(
      204,
    )
    expect((await other.get('/auth/login')).status).to.equal(200)
    expect((await ask('settings', 'DELETE', `/settings/sessions/${newer?.id}`)).status).to.equal(
      404,
    )
    for (const id of ['x', '__proto__', '%00', 'A'.repeat(32)]) {
      expect((await ask('settings', 'DELETE', `/settings/sessions/${id}`)).status, id).to.equal(404)
    }
    const own = await ask('settings', 'DELETE', `/settings/sessions/${older?.id}`)
    expect(own.status).to.equal(204)
    expect(own.setCookie('svcsessid')?.attributes['max-age']).to.equal('0')
    expect((await browser.get('/auth/login')).status).to.equal(200)
  })

  it('tells how the login value is derived', async () => {
    const answer = await ask('settings', 'GET', '/settings/passphrase')
    expect(answer.json()).to.deep.equal({
      data: {
        type: 'io.svc.settings',
        id: 'io.svc.settings.passphrase',
        attributes: { salt: 'me@alice.example.com', kdf: 0, iterations: 50_000 },
      },
    })
  })

  it('lists connected clients in words, and ends one with its tokens', async () => {
    const none = await ask('settings', 'GET', '/settings/clients')
    expect(none.json()).to.deep.equal({ data: [], meta: { count: 0 } })

    const party = relyingParty({
      issuer: ALICE,
      port: server.port,
      metadata: { client_kind: 'mobile', software_version: '1.2' },
    })
    const { client_id: id } = await party.register()
    const pending = await party.authorize({ scope: 'io.svc.files:GET io.svc.contacts' })
    const consent = await browser.get(pending.url)
    const allowed = await browser.submit(consent.page().form('/auth/authorize'))
    const tokens = await party.exchange(allowed.location ?? '', pending)
    const pendingOnly = relyingParty({ issuer: ALICE, port: server.port })
    await pendingOnly.register()

    const answer = await ask('settings', 'GET', '/settings/clients')
    const { data } = answer.json<{ data: { id: string; attributes: Record<string, unknown> }[] }>()
    expect(data).to.have.lengthOf(1)
    expect(data[0]?.id).to.equal(id)
    const { created_at, permissions, ...attributes } = data[0]?.attributes ?? {}
    expect(created_at).to.match(/^\d{4}-.*Z$/)
    expect(attributes).to.include({
      client_name: 'Relying party',
      client_kind: 'mobile',
      software_id: 'github.com/example/relying-party',
      software_version: '1.2',
      platform: 'Linux',
      scope: 'io.svc.files:GET io.svc.contacts',
    })
    const words = permissions as { scope: string; text: string }[]
    expect(words.map(({ scope }) => scope)).to.deep.equal(['io.svc.files:GET', 'io.svc.contacts'])
    for (const { text, scope } of words) expect(text).to.not.equal(scope)
    expect(answer.text).not.to.include(String(party.client.client_secret))

    expect((await ask('settings', 'DELETE', `/settings/clients/${id}`)).status).to.equal(204)
    expect((await ask('settings', 'DELETE', `/settings/clients/${id}`)).status).to.equal(404)
    const refreshed = await party.refresh(String(tokens.refresh_token)).catch(() => 'refused')
    expect(refreshed).to.equal('refused')
    const call = await browser.another().get('/settings/passphrase', {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    })
    expect(call.status).to.equal(401)
  })

  for (const id of [
    '%00',
    '%E2%80%A8',
    '__proto__',
    'constructor',
    'x'.repeat(2000),
    'a:b',
    '..',
  ]) {
    it(`answers 404 to DELETE /settings/clients/${id.slice(0, 20)}`, async () => {
      const target = `/settings/clients/${id}`
      const page = await browser.get('https://settings.alice.example.com/')
      const token = page.json<Record<string, string>>()['data-svc-token']
      const answer = await browser.request('DELETE', '/settings/clients/x', {
        target,
        headers: { authorization: `Bearer ${token}` },
      })
      expect(answer.status).to.equal(404)
    })
  }

  it('tells a token without the permission what it lacks, as every resource does', async () => {
    for (const path of ['/settings/sessions', '/settings/passphrase']) {
      const answer = await ask('drive', 'GET', path)
      expect(answer.headers['www-authenticate'], path).to.equal('Bearer error="insufficient_scope"')
      expect(answer.json(), path).to.have.nested.property('errors[0].code', 'insufficient_scope')
    }
  })

  for (const isInstalled of [true, false]) {
    it(`shows what the app of a linked client may do, ${isInstalled ? 'installed' : 'or could'}`, async () => {
      const party = relyingParty({
        issuer: ALICE,
        port: server.port,
        metadata: { software_id: 'registry://drive' },
      })
      await party.register()
      const pending = await party.authorize({ scope: 'anything' })
      const consent = await browser.get(pending.url)
      const allowed = await browser.submit(consent.page().form('/auth/authorize'))
      expect(allowed.status).to.equal(302)
      await party.exchange(allowed.location ?? '', pending)
      if (!isInstalled) installed = withoutDrive
      const answer = await ask('settings', 'GET', '/settings/clients')
      const [client] = answer.json<{ data: { attributes: Record<string, unknown> }[] }>().data
      expect(client?.attributes).to.include({ scope: '@io.svc.apps/drive' })
      const permissions = client?.attributes['permissions'] as { scope: string }[]
      expect(permissions.map(({ scope }) => scope)).to.deep.equal(['io.svc.files'])
    })
  }

  it('answers GET /public/prelogin to anybody', async () => {
    const answer = await browser.another().get('/public/prelogin')
    expect(answer.status).to.equal(200)
    expect(answer.json()).to.deep.equal({
      Kdf: 0,
      KdfIterations: 50_000,
      OIDC: false,
      FranceConnect: false,
      magic_link: false,
      locale: 'en',
      name: '',
      salt: 'me@alice.example.com',
    })
  })
})
