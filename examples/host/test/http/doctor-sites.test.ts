import { expect } from 'chai'
import { sampleSites } from '../../src/checks/sites.ts'
import { createInstance } from '../../src/create-instance.ts'
import { startTestHost, type TestHost } from '../support/test-host.ts'

/** @see operation.md 2.2 */
describe('the instances that svc doctor looks at', () => {
  let host: TestHost
  before(async () => {
    let now = Date.now()
    // One after the other, so that it is known which are the newest.
    host = await startTestHost({}, 'owner-0.example.com', { now: () => now })
    for (let n = 1; n < 26; n += 1) {
      now += 1000
      await createInstance(host.host.app, { domain: `owner-${n}.example.com` })
    }
  })
  after(() => host.stop())

  async function domainsOf(body: unknown): Promise<string[]> {
    const answer = await host.admin('POST', '/checks', body)
    expect(answer.status).to.equal(200)
    const { sites } = (await answer.json()) as { readonly sites: readonly { domain: string }[] } // as the route answers
    return sites.map(({ domain }) => domain)
  }
  const numberOf = (domain: string): number => Number(/\d+/.exec(domain)?.[0])

  it('are 20 of more: the newest ten, and ten others that change', async () => {
    const others = new Set<number>()
    for (let round = 0; round < 30; round += 1) {
      const numbers = (await sampleSites(host.host.app.oauth.instances)).map(({ domain }) =>
        numberOf(domain),
      )
      expect(new Set(numbers).size).to.equal(20)
      expect(numbers.slice(0, 10)).to.deep.equal([25, 24, 23, 22, 21, 20, 19, 18, 17, 16])
      for (const number of numbers.slice(10)) others.add(number)
    }
    expect(others.size, 'each of the others is looked at some time').to.equal(16)
  })

  it('are the one that is named with --domain, and none where there is none', async () => {
    expect(await domainsOf({ offline: true })).to.have.lengthOf(20)
    const domain = 'owner-3.example.com'
    expect(await domainsOf({ offline: true, domain })).to.deep.equal([domain])
    const unknown = await host.admin('POST', '/checks', { domain: 'nobody.example.com' })
    expect(unknown.status).to.equal(404)
  })
})
