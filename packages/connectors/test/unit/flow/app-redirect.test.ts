import { expect } from 'chai'
import { describe, it } from 'mocha'
import { appRedirect } from '../../../src/flow/flow-outcome.ts'
import { sampleInstance } from '../../support/sample-instance.ts'

/** connectors.md 4.5 */
describe('appRedirect', () => {
  const app = { slug: 'home', clientState: 's&t=1 é' }

  it('leads to the root of the app with the account, then the state', () => {
    expect(appRedirect(sampleInstance(), app, { accountId: 'abc' })).to.equal(
      'https://home.alice.example.com/?account=abc&state=s%26t%3D1%20%C3%A9#',
    )
  })

  it('names the error after the state', () => {
    expect(appRedirect(sampleInstance(), app, { error: 'access_denied' })).to.equal(
      'https://home.alice.example.com/?state=s%26t%3D1%20%C3%A9&error=access_denied#',
    )
  })

  it('leaves an empty state out', () => {
    expect(
      appRedirect(sampleInstance(), { slug: 'home', clientState: '' }, { accountId: 'abc' }),
    ).to.equal('https://home.alice.example.com/?account=abc#')
  })

  it('knows flat subdomains, ports and plain http', () => {
    const instance = sampleInstance({
      domain: 'alice.localhost:8080',
      isHttps: false,
      subdomains: 'flat',
    })
    expect(appRedirect(instance, { slug: 'my-app', clientState: '' }, { accountId: 'a' })).to.equal(
      'http://alice-my-app.localhost:8080/?account=a#',
    )
  })
})
