import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { chromiumPath, freePort, needsChromium, relyingParty } from '@svc/testkit'
import { expect } from 'chai'
import { expectKnown, npmJudge } from '../support/judge.ts'
import { startTestHost, type TestHost } from '../support/test-host.ts'

const OPTIONS = [
  '--quiet',
  '--output=json',
  '--no-enable-error-reporting',
  // What is measured in time is the bench's; who may find a page, nobody's.
  '--only-categories=accessibility,best-practices',
  '--chrome-flags=--headless --no-sandbox --disable-dev-shm-usage --host-resolver-rules="MAP *.localhost 127.0.0.1,MAP * ~NOTFOUND,EXCLUDE 127.0.0.1"',
]

interface Report {
  readonly runtimeError?: unknown
  readonly finalDisplayedUrl: string
  readonly audits: Readonly<Record<string, { readonly score: number | null }>>
}

describe('Lighthouse on the running host', function () {
  this.timeout(300_000)
  let host: TestHost
  let folder: string
  before(async function () {
    needsChromium(this)
    folder = await mkdtemp(path.join(tmpdir(), 'svc-lighthouse-'))
    const port = await freePort()
    const env = { SVC_DEMO_APPS: 'on', SVC_PORT: `${port}` }
    host = await startTestHost(env, `alice.localhost:${port}`)
  })
  after(async () => {
    await host?.stop()
    await rm(folder, { recursive: true })
  })

  async function judge(url: string, cookie?: string): Promise<void> {
    const lighthouse = await npmJudge('lighthouse@13.5.0', 'lighthouse')
    const headers = cookie === undefined ? [] : ['--extra-headers', JSON.stringify({ cookie })]
    const { stdout, stderr } = await lighthouse.run([url, ...OPTIONS, ...headers], {
      env: { CHROME_PATH: chromiumPath(true) ?? '', HOME: folder, TMPDIR: folder },
    })
    expect(stdout, stderr).to.match(/^\{/)
    const { runtimeError, finalDisplayedUrl, audits } = JSON.parse(stdout) as Report // as it writes it
    expect(runtimeError, stderr).to.equal(undefined)
    expect(finalDisplayedUrl).to.equal(url)
    const { pathname } = new URL(url)
    const found = Object.entries(audits).filter(([, { score }]) => score !== null && score < 1)
    await expectKnown(
      `lighthouse ${pathname}`,
      found.map(([name]) => name),
    )
  }

  it('finds nothing new on the login page', async () => {
    await judge(`${host.instance.origin}/auth/login`)
  })

  it('finds nothing new on the consent page', async () => {
    const party = relyingParty({ issuer: host.instance.origin, port: host.host.port })
    await party.register()
    const { url } = await party.authorize({ scope: 'io.svc.contacts:GET' })
    const { cookie } = await host.host.app.ui.owners.createSession(host.instance)
    await judge(url, `${cookie.name}=${cookie.value}`)
  })
})
