import { createHash, randomBytes } from 'node:crypto'
import { type Instance, originOfApp } from '@svc/platform'
import { type BrowserClient, type BrowserResponse, relyingParty } from '@svc/testkit'
import { expect } from 'chai'
import { createDocumentStore } from '../../src/documents/document-store.ts'
import { eachTestHost } from '../support/for-test.ts'
import { plantSession, onboard } from '../support/owner-parts.ts'

type Call = (method: string, path: string, body?: unknown) => Promise<BrowserResponse>

describe('the demo of shares', () => {
  const host = eachTestHost()
  let byApp: Call
  let fileId: string
  beforeEach(async () => {
    await host.admin('POST', `/instances/${host.instance.domain}/apps`, { app: 'drive' })
    byApp = await callerOfApp('drive')
    const created = await byApp('POST', '/data/io.svc.files', { name: 'Holidays' })
    fileId = created.json<{ _id: string }>()._id
  })

  async function callerOfApp(slug: string): Promise<Call> {
    const access = await host.appToken(slug)
    return (method, path, body) => host.call(access, method, path, body)
  }

  async function callerOfClient(metadata: Readonly<Record<string, unknown>>): Promise<Call> {
    const { token } = await host.connect('io.svc.files', metadata)
    return (method, path, body) => host.call(token, method, path, body)
  }

  async function share(by: Call, password?: string): Promise<string> {
    const answer = await by('POST', '/shares', { type: 'io.svc.files', ids: [fileId], password })
    expect(answer.status).to.equal(201)
    return answer.json<{ id: string }>().id
  }

  const visit = async (id: string, browser?: BrowserClient): Promise<BrowserResponse> =>
    (browser ?? (await host.browser(host.instance.origin, { anonymous: true }))).get(
      `/shared/${id}`,
    )

  it('lets a linked client take back what its app shared, and the other way round (D30)', async () => {
    const byClient = await callerOfClient({ software_id: 'registry://drive' })
    for (const [sharer, other] of [
      [byApp, byClient],
      [byClient, byApp],
    ] as const) {
      const id = await share(sharer)
      expect((await visit(id)).text).to.include('Holidays')
      const listed = await other('GET', '/shares')
      expect(
        listed.json<{ shares: { id: string }[] }>().shares.map((each) => each.id),
      ).to.deep.equal([id])
      expect((await other('DELETE', `/shares/${id}`)).status).to.equal(204)
      expect((await visit(id)).status).to.equal(404)
      expect((await sharer('DELETE', `/shares/${id}`)).status).to.equal(404)
    }
  })

  it('lets nobody else do so', async () => {
    const id = await share(byApp)
    const strangers = [await callerOfClient({}), await callerOfApp('home')]
    for (const stranger of strangers) {
      expect((await stranger('GET', '/shares')).json()).to.deep.equal({ shares: [] })
      expect((await stranger('DELETE', `/shares/${id}`)).status).to.equal(404)
    }
    const byHome = strangers[1] as Call
    const forbidden = await byHome('POST', '/shares', { type: 'io.svc.files', ids: [fileId] })
    expect(forbidden.status).to.equal(403)
    expect((await visit(id)).status).to.equal(200)
  })

  it('asks visitors for the password of a link', async () => {
    const id = await share(byApp, 'sesame')
    const browser = await host.browser(host.instance.origin, { anonymous: true })
    expect((await visit(id, browser)).status).to.equal(403)
    const path = '/auth/share-by-link/password'
    expect((await browser.post(path, { perm_id: id, password: 'wrong' })).status).to.equal(403)
    expect((await browser.post(path, { perm_id: id, password: 'sesame' })).status).to.equal(200)
    expect((await visit(id, browser)).text).to.include('Holidays')
    expect((await visit(id)).status).to.equal(403)
  })

  for (const body of [{}, { type: 'X', ids: ['a'] }, { type: 'io.svc.files', ids: [] }, [], 'x']) {
    it(`answers 400 to ${JSON.stringify(body)}`, async () => {
      expect((await byApp('POST', '/shares', body)).status).to.equal(400)
      expect((await byApp('POST', '/sharings', body)).status).to.equal(400)
    })
  }

  describe('between two owners', () => {
    let bob: Instance
    let url: string
    let visitor: BrowserClient
    beforeEach(async () => {
      bob = await onboard(host.host, { domain: 'bob.example.com' })
      const offer = { to: bob.domain, type: 'io.svc.files', ids: [fileId], description: 'Photos' }
      const answer = await byApp('POST', '/sharings', offer)
      expect(answer.status).to.equal(201)
      url = answer.json<{ url: string }>().url
      visitor = await host.browser(bob.origin, { anonymous: true })
      await plantSession(host.host, bob, visitor)
    })

    const filesOfBob = async (): Promise<string> =>
      JSON.stringify(await createDocumentStore(host.host.store).list(bob, 'io.svc.files', {}))

    it('shows who shares what, and keeps it once accepted', async () => {
      const page = await visitor.get(url)
      expect(page.status).to.equal(200)
      expect(page.text).to.include('Alice').and.include('alice.example.com').and.include('Photos')
      const form = page.page().form('/auth/authorize/sharing')
      const answer = await visitor.submit(form)
      expect(answer.status).to.equal(302)
      const id = new URL(url).searchParams.get('sharing_id')
      expect(answer.location).to.equal(`${originOfApp(bob, 'home')}/?sharing=${id}`)
      expect(await filesOfBob()).to.include('Holidays')
      expect((await visitor.get(url)).status).to.equal(400)
      expect((await visitor.submit(form)).status).to.equal(400)
    })

    it('gives a client that names it a code for what is shared, never for more', async () => {
      const party = relyingParty({ issuer: bob.origin, port: host.host.port })
      await party.register()
      const verifier = randomBytes(32).toString('base64url')
      const asked = (scope: string): string =>
        new URLSearchParams({
          client_id: party.client.client_id,
          redirect_uri: party.redirectUri,
          response_type: 'code',
          state: 'its own',
          sharing_id: new URL(url).searchParams.get('sharing_id') ?? '',
          scope,
          code_challenge: createHash('sha256').update(verifier).digest('base64url'),
          code_challenge_method: 'S256',
        }).toString()
      const path = '/auth/authorize/sharing'
      for (const more of ['io.svc.files', 'io.svc.files:GET:own', 'io.svc.notes:GET'])
        expect((await visitor.get(`${path}?${asked(more)}`)).status, more).to.equal(400)
      const page = await visitor.get(`${path}?${asked('io.svc.files:GET')}`)
      expect(page.status).to.equal(200)
      const answer = await visitor.submit(page.page().form(path))
      expect(answer.status).to.equal(302)
      const pending = { url: '', state: 'its own', codeVerifier: verifier }
      const tokens = await party.exchange(answer.location ?? '', pending)
      expect(tokens.scope).to.match(/^io\.svc\.files:GET:shared-[\w-]+-0$/)
      const documents = createDocumentStore(host.host.store)
      const own = { type: 'io.svc.files', id: 'own', fields: { name: 'Diary' } }
      await documents.put(bob, own, 'any')
      const headers = { authorization: `Bearer ${tokens.access_token}` }
      const outside = await host.browser(bob.origin, { anonymous: true })
      const list = await outside.get('/data/io.svc.files', { headers })
      expect(list.text).to.include('Holidays').and.not.include('Diary')
      expect((await outside.get('/data/io.svc.files/own', { headers })).status).to.equal(403)
    })
  })
})
