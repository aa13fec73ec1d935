import { glob, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort, relyingParty } from '@svc/testkit'
import { expect } from 'chai'
import { expectKnown, LOOPBACK_NAMES, npmJudge } from '../support/judge.ts'
import { startTestHost, type TestHost } from '../support/test-host.ts'

interface Check {
  readonly id: string
  readonly status: string
}

describe("MCP's conformance suite on the running host", function () {
  this.timeout(300_000)
  let host: TestHost
  let folder: string
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'svc-conformance-'))
    const port = await freePort()
    const env = { SVC_DEMO_APPS: 'on', SVC_PORT: `${port}` }
    host = await startTestHost(env, `alice.localhost:${port}`)
  })
  after(async () => {
    await host?.stop()
    await rm(folder, { recursive: true })
  })

  it('finds nothing new in the authorization server', async () => {
    const { origin } = host.instance
    const suite = await npmJudge('@modelcontextprotocol/conformance@0.2.0-alpha.12', 'conformance')
    const port = await freePort()
    const { client_id: id } = await relyingParty({
      issuer: origin,
      port: host.host.port,
    }).register({
      redirect_uris: [`http://127.0.0.1:${port}/callback`],
      token_endpoint_auth_method: 'none',
      // Without one it is an assistant, which has no secret.
      software_id: undefined,
    })
    const found: string[] = []

    /** What the suite asks the owner to open. It gives no scope, and waits for an answer to its callback. */
    async function allow(url: string): Promise<void> {
      const owner = await host.browser()
      const { status } = await owner.get(url)
      if (status !== 200) found.push(`authorization request without a scope: ${status}`)
      const page = (await owner.get(`${url}&scope=io.svc.notes:GET`)).page()
      const answer = await owner.submit(page.form('/auth/authorize'))
      await fetch(String(answer.location))
    }

    let text = ''
    let visit: Promise<void> | undefined
    const asked = ['authorization', '--url', origin, '--client-id', id, '--port', `${port}`]
    const { stdout } = await suite.run(
      [...asked, '--resource', `${origin}/mcp`, '--output-dir', folder],
      {
        env: LOOPBACK_NAMES,
        onOutput(more) {
          text += more
          const [, url] = /^(http\S+\?response_type=\S+)\n/m.exec(text) ?? []
          // The suite waits for minutes where nobody comes: what went wrong shows then, too.
          if (url !== undefined) visit ??= allow(url)
        },
      },
    )
    await visit
    const checks: Check[] = []
    for await (const file of glob('*/checks.json', { cwd: folder })) {
      const report = await readFile(path.join(folder, file), 'utf8')
      checks.push(...(JSON.parse(report) as Check[])) // as its version writes it
    }
    expect(checks, stdout).to.have.lengthOf(3)
    for (const { id: check, status } of checks) {
      if (status !== 'SUCCESS') found.push(`${check}: ${status}`)
    }
    await expectKnown('mcp-conformance', found)
  })
})
