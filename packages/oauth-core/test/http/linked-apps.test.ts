import { eachStore, type RelyingParty } from '@svc/testkit'
import { expect } from 'chai'
import { VERIFIER } from '../client-steps.ts'
import { allow, type ConsentServer, DRIVE, startConsentServer } from './consent-server.ts'

eachStore((open) => {
  let server: ConsentServer
  let linked: RelyingParty
  let asked: string[]
  let installs: (slug: string) => Promise<unknown>
  beforeEach(async () => {
    asked = []
    installs = async (slug) => server.installed.set(slug, DRIVE)
    server = await startConsentServer({
      openStore: (clock) => open({ clock }),
      async install(slug) {
        asked.push(slug)
        await installs(slug)
      },
    })
    linked = await server.client({ software_id: 'registry://drive/stable', client_kind: 'mobile' })
  })

  const filesOf = (token: string): Promise<number> =>
    server.call('/files', { token }).then(({ status }) => status)

  describe('the app of a linked client', () => {
    it('is installed when the owner allows the client, and not before', async () => {
      await server.page(linked)
      expect(asked).to.deep.equal([])
      const { access_token: token, scope } = await allow(server, linked)
      expect(asked).to.deep.equal(['drive'])
      expect(scope).to.equal('@io.svc.apps/drive')
      expect(await filesOf(token)).to.equal(200)
    })

    it('is not installed again', async () => {
      server.installed.set('drive', DRIVE)
      await allow(server, linked)
      expect(asked).to.deep.equal([])
    })

    it('is waited for when the client asks for its tokens', async () => {
      let finish = (): void => {}
      const done = new Promise<void>((resolve) => {
        finish = resolve
      })
      installs = async (slug) => {
        await done
        server.installed.set(slug, DRIVE)
      }
      const tokens = allow(server, linked)
      while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve))
      finish()
      expect(await filesOf((await tokens).access_token)).to.equal(200)
    })

    it('takes its clients along when it is uninstalled, and no others', async () => {
      const free = await server.client({ client_name: 'Free' })
      const { access_token: token } = await allow(server, linked)
      const other = await allow(server, free)
      server.installed.delete('drive')
      const { alice, oauth } = server
      expect(await oauth.clients.onWebappUninstalled(alice, 'drive')).to.equal(1)
      expect(await filesOf(token)).to.equal(401)
      expect(await oauth.clients.get(alice, linked.client.client_id)).to.equal(undefined)
      expect(await filesOf(other.access_token)).to.equal(200)
      expect(await oauth.clients.onWebappUninstalled(alice, 'drive')).to.equal(0)
      // Installed again, it gives nothing back.
      server.installed.set('drive', DRIVE)
      expect(await filesOf(token)).to.equal(401)
    })
  })

  it('answers 503 to the exchange as long as nothing can install the app, and uses up no code', async () => {
    const alone = await startConsentServer({ sameAs: server })
    const browser = alone.browser()
    const page = await alone.page(linked, {}, browser)
    const answer = await browser.submit(page.page().form('/auth/authorize'), {}, 'Allow')
    const code = new URL(answer.location ?? '').searchParams.get('code') ?? ''
    const exchange = () =>
      browser.post('/auth/access_token', {
        grant_type: 'authorization_code',
        client_id: linked.client.client_id,
        client_secret: String(linked.client.client_secret),
        code,
        code_verifier: VERIFIER,
      })
    const refused = await exchange()
    expect(refused.status).to.equal(503)
    expect(refused.headers['retry-after']).to.equal('5')
    expect(JSON.parse(refused.text)).to.include({ error: 'temporarily_unavailable' })
    server.installed.set('drive', DRIVE)
    expect((await exchange()).status).to.equal(200)
  })
})
