import { expect } from 'chai'
import { sampleApps } from '../support/sample-instance.ts'
import { createAlice, PASSPHRASE, startUi, type UiServer } from '../support/ui-server.ts'

describe('ui.describe', () => {
  let server: UiServer

  /** What is printed for a new owner on a domain. */
  async function describeNew(domain: string, passphrase?: string): Promise<string[]> {
    const input = { domain, email: 'alice@example.com' }
    const { instance } = await server.ui.owners.createInstance(input, passphrase)
    return (await server.ui.describe(instance)).split('\n')
  }

  it('names the version, the store and the addresses, with a link for a new owner', async () => {
    server = await startUi({ oauth: { apps: sampleApps() } })
    const [first, owner = '', ...others] = await describeNew('alice.localhost:8080')
    expect(first).to.match(/^Svc \d+\.\d+\.\d+ on Node \d+\.\d+\.\d+, store in memory$/)
    expect(others).to.deep.equal([
      '  Home       http://home.alice.localhost:8080/',
      '  Settings   http://settings.alice.localhost:8080/',
      '  Metadata   http://alice.localhost:8080/.well-known/oauth-authorization-server',
      'Next: open the Owner link in a browser and choose a passphrase.',
    ])
    const [, link = ''] = /^ {2}Owner {6}(\S+) {3}\(works once\)$/.exec(owner) ?? []
    const base = 'http://alice.localhost:8080'
    const answer = await server.browser(base).get(link)
    expect(answer.status).to.equal(200)
    expect(answer.page().form('/settings/passphrase')).to.be.an('object')
  })

  it('has no link for an owner who chose a passphrase', async () => {
    server = await startUi()
    const lines = await describeNew('alice.localhost:8080', PASSPHRASE)
    expect(lines.join('\n')).not.to.contain('Owner')
    expect(lines.at(-1)).to.equal('Next: log in at http://home.alice.localhost:8080/')
  })

  it('prints no link over https, and names what does not resolve', async () => {
    server = await startUi()
    const lines = await describeNew('alice.invalid')
    expect(lines.join('\n')).not.to.contain('registerToken')
    expect(lines.slice(-3)).to.deep.equal([
      '  home.alice.invalid does not resolve here: add a record for *.alice.invalid',
      '  settings.alice.invalid does not resolve here: add a record for *.alice.invalid',
      'Next: create a link for the owner with ui.owners.createOnboardingUrl(instance).',
    ])
  })

  it('leaves settings out where the host has none, and names a home of the host', async () => {
    server = await startUi({
      ui: { home: '/welcome', builtInApps: { settings: false } },
      oauth: { apps: sampleApps() },
    })
    await createAlice(server)
    const lines = await describeNew('bob.localhost')
    expect(lines.join('\n')).not.to.contain('Settings')
    expect(lines).to.include('  Home       http://bob.localhost/welcome')
  })
})
