import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { expectKnown, pythonJudge } from '../support/judge.ts'
import { startTestHost, type TestHost } from '../support/test-host.ts'

const DOCS = path.join(import.meta.dirname, '../../../../docs')
const OPTIONS = [
  '--no-color',
  '--generation-deterministic',
  '--continue-on-failure',
  '--request-timeout=60',
  // What a server refuses besides, such as an instance that it does not have, no schema can say.
  '--exclude-checks=positive_data_acceptance',
]
/** The same requests every time: what a list of findings can be held against. */
const COVERAGE = ['--phases=coverage']
/** Made up for a minute, more of them on a faster machine: none may find a fault of the server. */
const FUZZING = ['--phases=fuzzing,stateful', '--max-time=60', '--checks=not_a_server_error']

interface Report {
  readonly complete: boolean
  readonly operations: { readonly errored: number }
  readonly failures: readonly { readonly type: string; readonly operations: readonly string[] }[]
}

describe('schemathesis on the running host', function () {
  this.timeout(600_000)
  let host: TestHost
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'svc-schemathesis-'))
    host = await startTestHost({ SVC_DEMO_APPS: 'on' })
  })
  afterEach(async () => {
    await host?.stop()
    await rm(folder, { recursive: true })
  })

  async function run(name: string, port: number, more: readonly string[]): Promise<string[]> {
    const schemathesis = await pythonJudge(
      ['schemathesis==4.32.5', 'hypothesis==6.170.17', 'jsonschema-rs==0.60.3'],
      ['-m', 'schemathesis.cli'],
    )
    const report = path.join(folder, 'report.json')
    const to = ['run', path.join(DOCS, name), `--url=http://127.0.0.1:${port}`]
    const { stdout, stderr } = await schemathesis.run(
      [...to, ...OPTIONS, ...more, `--report-json-path=${report}`],
      // It keeps what it sent where it runs.
      { cwd: folder, limitMs: 180_000 },
    )
    const text = await readFile(report, 'utf8').catch(() => '{}')
    const { complete, operations, failures } = JSON.parse(text) as Report // as its version writes it
    expect({ complete, ...operations }, stdout + stderr).to.include({ complete: true, errored: 0 })
    return failures.flatMap(({ type, operations: at }) => at.map((each) => `${each} ${type}`))
  }

  async function judge(name: string, port: number, ...more: readonly string[]): Promise<void> {
    await expectKnown(`schemathesis ${name}`, await run(name, port, [...COVERAGE, ...more]))
    expect(await run(name, port, [...FUZZING, ...more]), 'by fuzzing').to.deep.equal([])
  }

  it('finds nothing new behind docs/openapi.json', async () => {
    const path = `/instances/${host.instance.domain}/app-tokens`
    const answer = await host.admin('POST', path, { slug: 'settings' })
    const { token, cookie } = (await answer.json()) as { token: string; cookie: string } // of ours
    await judge(
      'openapi.json',
      host.host.port,
      `--header=Host: ${host.instance.domain}`,
      `--header=Authorization: Bearer ${token}`,
      `--header=Cookie: ${cookie}`,
      // They would end the session that the other requests are made in.
      ...['DELETE /auth/login', 'DELETE /auth/login/others'].map((at) => `--exclude-name=${at}`),
    )
  })

  it('finds nothing new behind docs/admin-openapi.json', async () => {
    const header = `--header=Authorization: Bearer ${host.config.adminToken}`
    await judge('admin-openapi.json', host.host.adminPort, header)
  })
})
