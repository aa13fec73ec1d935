import { expect } from 'chai'
import { eachTestHost } from '../support/for-test.ts'

describe('a client linked to an app of the store', () => {
  const host = eachTestHost()

  async function listFiles(token: string): Promise<number> {
    return (await host.call(token, 'GET', '/data/io.svc.files')).status
  }

  const apps = async (): Promise<readonly string[]> =>
    (await host.host.app.apps.listInstalled(host.instance)).map(({ slug }) => slug)

  it('brings its app along when it is allowed, and loses its access with it', async () => {
    expect(await apps()).not.to.include('drive')
    const { party, token } = await host.connect('', {
      software_id: 'registry://drive',
      client_kind: 'mobile',
    })
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
})
