import { type RelyingParty, relyingParty } from '@svc/testkit'
import { expect } from 'chai'
import { startTestHost, type TestHost } from '../support/test-host.ts'

describe('a client linked to an app of the store', () => {
  let host: TestHost
  beforeEach(async () => {
    host = await startTestHost()
  })
  afterEach(() => host.stop())

  async function connect(): Promise<{ party: RelyingParty; token: string }> {
    const { instance } = host
    const party = relyingParty({ issuer: instance.origin, port: host.host.port })
    await party.register({ software_id: 'registry://drive', client_kind: 'mobile' })
    const pending = await party.authorize({ scope: '' })
    const owner = await host.browser()
    const page = await owner.get(pending.url)
    const answer = await owner.submit(page.page().form('/auth/authorize'))
    const tokens = await party.exchange(answer.location ?? '', pending)
    return { party, token: tokens.access_token }
  }

  async function listFiles(token: string): Promise<number> {
    const browser = await host.browser(host.instance.origin, { anonymous: true })
    const headers = { authorization: `Bearer ${token}` }
    return (await browser.get('/data/io.svc.files', { headers })).status
  }

  const apps = async (): Promise<readonly string[]> =>
    (await host.host.app.apps.listInstalled(host.instance)).map(({ slug }) => slug)

  it('brings its app along when it is allowed, and loses its access with it', async () => {
    expect(await apps()).not.to.include('drive')
    const { party, token } = await connect()
    expect(await apps()).to.include('drive')
    expect(await listFiles(token)).to.equal(200)
    const page = await (await host.browser(host.app('drive'))).get('/')
    expect(page.status).to.equal(200)
    const removed = await host.admin('DELETE', `/instances/${host.instance.domain}/apps/drive`)
    expect(removed.status).to.equal(204)
    expect(await listFiles(token)).to.equal(401)
    const { clients } = host.host.app.oauth
    expect(await clients.get(host.instance, party.client.client_id)).to.equal(undefined)
  })

  it('is installed by the operator, too', async () => {
    const path = `/instances/${host.instance.domain}/apps`
    expect((await host.admin('POST', path, { app: 'drive' })).status).to.equal(201)
    expect(await apps()).to.include('drive')
  })
})
