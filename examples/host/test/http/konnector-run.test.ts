import { fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { type DevProvider, startDevProvider } from '../../src/demo/provider/dev-provider.ts'
import { type CommandResult, hostEnvironment, runSvc } from '../support/host-process.ts'
import { startTestHost, type TestHost } from '../support/test-host.ts'

interface Listed {
  readonly accounts: readonly { readonly oauth: { readonly status: string } }[]
}

const HOUR_MS = 3_600_000

describe('svc konnector run', function () {
  this.timeout(60_000)
  const clock = fakeClock()
  let host: TestHost
  let provider: DevProvider

  before(async () => {
    provider = await startDevProvider({ port: 0, tokenLifeMs: HOUR_MS, clock })
    host = await startTestHost({}, 'alice.localhost')
    await host.admin('PUT', '/admin/account_types/demo-photos', provider.entry)
    await host.admin('POST', '/instances/alice.localhost/konnectors', { slug: 'demo-photos' })
  })
  after(async () => {
    await host?.stop()
    await provider?.close()
  })

  async function connect(): Promise<void> {
    const owner = await host.browser()
    const start = await owner.get('/accounts/demo-photos/start?state=app-state')
    const html = await (await fetch(String(start.location))).text()
    const request = /name="request" value="([\w-]+)"/.exec(html)?.[1] ?? ''
    const allowed = await fetch(`${provider.origin}/authorize`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ request, answer: 'allow' }),
    })
    await owner.get(String(allowed.headers.get('location')))
  }

  function run(): Promise<CommandResult> {
    const env = hostEnvironment({
      SVC_ADMIN_TOKEN: host.config.adminToken ?? '',
      SVC_ADMIN_URL: `http://127.0.0.1:${host.host.adminPort}`,
    })
    return runSvc(['konnector', 'run', host.instance.domain, 'demo-photos'], env)
  }

  async function states(): Promise<readonly unknown[]> {
    const answer = await host.admin('GET', '/instances/alice.localhost/accounts')
    const { accounts } = (await answer.json()) as Listed
    return accounts.map(({ oauth }) => oauth.status)
  }

  it('says that no account is connected', async () => {
    expect(await run()).to.deep.equal({
      code: 1,
      stdout: '',
      stderr: 'No account is connected for demo-photos.\n',
    })
  })

  it('runs once more with another token when the provider refuses the one it was given', async () => {
    await connect()
    clock.advance(2 * HOUR_MS)
    const { code, stdout, stderr } = await run()
    expect(stderr).to.equal('The provider refuses the token.\n')
    expect(code).to.equal(0)
    expect(stdout).to.include('Lighthouse in the fog')
    expect(await states()).to.deep.equal(['connected'])
  })

  it('lets the account say at once that the person ended the connection at the provider', async () => {
    const page = await (await fetch(`${provider.origin}/grants`)).text()
    const [path = ''] = /\/grants\/\w+\/revoke/.exec(page) ?? []
    await fetch(provider.origin + path, { method: 'POST', headers: { origin: provider.origin } })
    const { code, stdout, stderr } = await run()
    expect(code).to.equal(1)
    expect(stdout).to.equal('')
    expect(stderr).to.include('reconnect account')
    expect(await states()).to.deep.equal(['reconnect_required'])
  })
})
