import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '@svc/testkit'
import { expect } from 'chai'
import { connectAssistant } from '../support/connected-assistant.ts'
import { LOOPBACK_NAMES, npmJudge } from '../support/judge.ts'
import { startTestHost, type TestHost } from '../support/test-host.ts'

describe("the command line of MCP's inspector on the running host", function () {
  this.timeout(300_000)
  let host: TestHost
  let folder: string
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'svc-inspector-'))
    const port = await freePort()
    host = await startTestHost(
      { SVC_DEMO_APPS: 'on', SVC_PORT: `${port}` },
      `alice.localhost:${port}`,
    )
  })
  after(async () => {
    await host?.stop()
    await rm(folder, { recursive: true })
  })

  async function inspect(token: string, ...args: readonly string[]) {
    const inspector = await npmJudge('@modelcontextprotocol/inspector@2.12.0', 'mcp-inspector')
    const url = `${host.instance.origin}/mcp`
    const asked = ['--cli', url, '--transport=http', '--format=json', '--stored-auth-only', ...args]
    return inspector.run([...asked, '--header', `Authorization: Bearer ${token}`], {
      // It keeps what it knows of servers below the home folder.
      env: { ...LOOPBACK_NAMES, HOME: folder },
    })
  }

  it('lists the tools, whose schemas it finds portable, and calls one', async () => {
    const { token } = await connectAssistant(host, 'io.svc.notes:GET')
    const listed = await inspect(token, '--method=tools/list', '--strict')
    // It ends with 6 where other clients could not take a schema.
    expect([listed.code, listed.stderr]).to.deep.equal([0, ''])
    expect(listed.stdout).to.include('"name":"list_kinds"')
    const called = await inspect(token, '--method=tools/call', '--tool-name=list_kinds')
    expect([called.code, called.stderr]).to.deep.equal([0, ''])
    expect(called.stdout).to.include('io.svc.notes')
  })

  it('is told to log in where its token is none', async () => {
    const { code, stderr } = await inspect('x', '--method=tools/list')
    expect(code, stderr).to.equal(3)
    expect(stderr).to.include('"code":"auth_required"')
  })
})
