import type { Instance } from '@svc/platform'
import {
  type BrowserClient,
  type BrowserResponse,
  type RelyingParty,
  relyingParty,
} from '@svc/testkit'
import { expect } from 'chai'
import { ALICE, createAlice, logIn, startUi, type UiServer } from '../support/ui-server.ts'

const STORE = 'market://details?id=org.example.new&referrer=a%26b'

describe('pages where a consent was asked for', () => {
  let server: UiServer
  let instance: Instance
  let browser: BrowserClient
  let party: RelyingParty
  let url: string
  beforeEach(async () => {
    server = await startUi({
      ui: { raiseLimitUrl: ({ domain }) => `https://shop.example.com/?for=${domain}` },
      oauth: {
        deprecatedApps: [
          { softwareId: 'org.example.old', name: 'Old <b>', storeUrls: { other: STORE } },
        ],
      },
    })
    ;({ instance } = await createAlice(server))
    browser = server.browser()
    await logIn(browser)
    party = await register({ client_kind: 'mobile', client_name: 'Second' })
    url = (await party.authorize({ scope: 'io.svc.files' })).url
  })

  async function register(metadata: Readonly<Record<string, unknown>>): Promise<RelyingParty> {
    const registered = relyingParty({ issuer: ALICE, port: server.port })
    await registered.register(metadata)
    return registered
  }

  async function connect(name: string): Promise<void> {
    const { client } = await register({ client_kind: 'mobile', client_name: name })
    await server.oauth.clients.issueTokens(instance, client.client_id, 'io.svc.files')
  }

  const limitTo = (oauthClientsMax: number): Promise<unknown> =>
    server.oauth.instances.update(instance.id, { settings: { oauthClientsMax } })

  const attribute = (page: BrowserResponse, name: string): string =>
    (new RegExp(` ${name}="([^"]*)"`).exec(page.text)?.[1] ?? '').replaceAll('&amp;', '&')

  describe('the limit of connected clients', () => {
    it('says how many there are, leads to the settings and to more, and looks again by itself', async () => {
      await connect('First')
      await limitTo(1)
      const page = await browser.get(url)
      expect(page.status).to.equal(200)
      expect(page.text).to.include('<meta http-equiv="refresh" content="20">')
      expect(page.text).to.include('Your space can connect 1 app or device')
      expect(page.text).to.include('1 app or device is connected now.')
      expect(page.text).to.include('Remove an app')
      expect(page.text).to.include('href="https://settings.alice.example.com/#/apps"')
      expect(page.text).to.include('href="https://shop.example.com/?for=alice.example.com"')
      expect(page.text).to.include('<bdi>Second</bdi>')
      expect(page.headers['cache-control']).to.equal('no-store')
      await limitTo(2)
      expect((await browser.get(url)).text).to.include('action="/auth/authorize"')
    })

    it('asks nobody to remove an app where none may be connected', async () => {
      await connect('First')
      await limitTo(0)
      const page = await browser.get(url)
      expect(page.text).to.include('Your space can’t connect any apps or devices.')
      expect(page.text).to.include('Ask the administrator of this server to allow it.')
      expect(page.text).to.include('href="https://shop.example.com/?for=alice.example.com"')
      expect(page.text).to.include('1 app or device is connected now.')
      expect(page.text).to.match(/#\/apps"[^>]*>Review connected apps</u)
      for (const words of ['Remove an app', 'Too many']) expect(page.text).not.to.include(words)
      expect(page.text).to.include('<meta http-equiv="refresh" content="20">')
      await limitTo(2)
      expect((await browser.get(url)).text).to.include('action="/auth/authorize"')
    })

    it('listens with a token of the settings app that is bound to the session', async () => {
      await limitTo(0)
      const page = await browser.get(url)
      expect(attribute(page, 'data-namespace')).to.equal('io.svc')
      expect(attribute(page, 'data-next')).to.equal(url.slice(ALICE.length))
      const token = attribute(page, 'data-token')
      const [, claims = ''] = token.split('.')
      const [session] = await server.ui.owners.listSessions(instance)
      expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).to.include({
        aud: 'app',
        sub: 'settings',
        session_id: session?.id,
      })
      const clients = '/settings/clients'
      const headers = { authorization: `Bearer ${token}` }
      expect((await browser.get(clients, { headers })).status).to.equal(200)
      expect((await server.browser().get(clients, { headers })).status).to.equal(401)
    })

    it('leads from a form back to its request, never to the form again', async () => {
      const form = (await browser.get(url)).page().form('/auth/authorize')
      await limitTo(0)
      const page = await browser.submit(form)
      expect(page.status).to.equal(403)
      const refresh = /http-equiv="refresh" content="20;url=([^"]*)"/.exec(page.text)?.[1] ?? ''
      const again = refresh.replaceAll('&amp;', '&')
      expect(again).to.match(/^\/auth\/authorize\?/)
      expect(attribute(page, 'data-next')).to.equal(again)
      const asked = new URL(again, ALICE).searchParams
      expect(asked.get('state')).to.equal(new URL(url).searchParams.get('state'))
      for (const name of ['csrf_token', 'consent']) expect(asked.has(name), name).to.equal(false)
      await limitTo(1)
      expect((await browser.get(again)).text).to.include('action="/auth/authorize"')
    })
  })

  it('leads from a deprecated app to its store, whatever the scheme, with the name escaped', async () => {
    const old = await register({ software_id: 'org.example.old' })
    const page = await browser.get((await old.authorize({ scope: 'io.svc.files' })).url)
    expect(page.status).to.equal(200)
    expect(attribute(page, 'class="button button--primary" href')).to.equal(STORE)
    expect(page.text).to.include('Old &lt;b&gt;').and.not.include('Old <b>')
  })

  it('answers 400 to a sharing where the host has none', async () => {
    const page = await browser.get('/auth/authorize/sharing?sharing_id=x&state=y')
    expect(page.status).to.equal(400)
    expect(page.text).to.include('This item is no longer available')
  })
})
