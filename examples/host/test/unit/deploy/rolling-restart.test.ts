import { execFile } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const SCRIPT = fileURLToPath(new URL('../../../deploy/rolling-restart', import.meta.url))

describe('deploy/rolling-restart', function () {
  this.timeout(30_000)
  let server: Server
  let port: number
  const seen: string[] = []
  /** Answers of `/ready/<n>`, one after the other; then 200. */
  const answers = new Map<string, number[]>()

  before(async () => {
    server = createServer((request, response) => {
      const path = String(request.url)
      seen.push(path)
      response.writeHead(answers.get(path)?.shift() ?? 200).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port // it listens on a port
  })
  beforeEach(() => {
    seen.length = 0
    answers.clear()
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  function run(...args: string[]): Promise<{ code: number; stderr: string }> {
    const base = `http://127.0.0.1:${port}`
    const restart = `node -e "fetch('${base}/restart/%i')"`
    const options = ['--restart', restart, '--ready', `${base}/ready/%n`, '--settle', '0']
    return new Promise((resolve) => {
      execFile(SCRIPT, [...options, ...args], (error, _stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stderr })
      })
    })
  }

  it('restarts one unit after the other, each once the one before is ready', async () => {
    answers.set('/ready/1', [503])
    expect(await run('svc@1', 'svc@2.service')).to.include({ code: 0 })
    expect(seen).to.deep.equal([
      '/restart/svc@1',
      '/ready/1',
      '/ready/1',
      '/restart/svc@2.service',
      '/ready/2',
    ])
  })

  it('stops at the first that does not come back, and leaves the others alone', async () => {
    answers.set(
      '/ready/1',
      Array.from({ length: 100 }, () => 503),
    )
    const { code, stderr } = await run('--within', '1', 'svc@1', 'svc@2')
    expect(code).to.equal(75)
    expect(stderr).to.equal('svc@1 is not ready after 1 s. Stopped.\n')
    expect(seen.filter((path) => path.startsWith('/restart'))).to.deep.equal(['/restart/svc@1'])
  })

  it('stops when a restart itself fails, and explains itself', async () => {
    const { code } = await run('--restart', 'false', 'svc@1', 'svc@2')
    expect(code).to.not.equal(0)
    expect(seen).to.deep.equal([])
    const help = await run('--help')
    expect(help.code).to.equal(64)
    expect(help.stderr).to.include('rolling-restart [--restart COMMAND]')
  })
})
