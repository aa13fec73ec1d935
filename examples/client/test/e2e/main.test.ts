import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { type BrowserClient, browserClient, freePort } from '@svc/testkit'
import { expect } from 'chai'

const ROOT = path.resolve(import.meta.dirname, '../../../..')
const PASSPHRASE = 'seven green kettles sing at dawn'

describe('the example client, beside the example host', function () {
  this.timeout(60_000)

  let folder: string
  const running: ChildProcess[] = []

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'svc-client-'))
  })

  afterEach(async () => {
    for (const child of running.splice(0)) {
      if (child.exitCode !== null) continue
      const ended = once(child, 'exit')
      child.kill()
      await ended
    }
    rmSync(folder, { recursive: true, force: true })
  })

  function run(args: readonly string[], env: Record<string, string>): Lines {
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.push(child)
    const said = new PassThrough()
    child.stdout.pipe(said, { end: false })
    child.stderr.pipe(said, { end: false })
    // Not 'exit': what it said last may still be on its way then, and a write after the end would be lost for good.
    child.once('close', () => said.end())
    return createInterface({ input: said })[Symbol.asyncIterator]()
  }

  /** Starts the host; its owner has chosen a passphrase. */
  async function openHost(): Promise<{ readonly base: string; readonly owner: BrowserClient }> {
    const port = await freePort()
    const host = run(['--conditions=source', 'examples/host/src/main.ts'], {
      SVC_ADMIN_PORT: '0',
      SVC_DATA_DIR: folder,
      SVC_PORT: String(port),
    })
    const [link = ''] = await linesWith(host, [/http\S+registerToken=\S+/, /server\.started/])

    const base = `http://alice.localhost:${port}`
    const owner = browserClient({ base, port })
    const choose = (await owner.get(link)).page().form('/settings/passphrase')
    await owner.submit(choose, { passphrase: PASSPHRASE })
    return { base, owner }
  }

  /** Of what was run last. */
  async function exitCode(): Promise<number | null | undefined> {
    const child = running.at(-1)
    if (child?.exitCode === null) await once(child, 'exit')
    return child?.exitCode
  }

  it('does what the README shows', async () => {
    const { base, owner } = await openHost()
    const client = run(['examples/client/src/main.ts', base], {})
    const address = await lineWith(client, /http\S+\/auth\/authorize\?\S+/)
    const consent = (await owner.get(address)).page()
    expect(consent.text).to.contain('Example client')
    const allowed = await owner.submit(consent.form('/auth/authorize'))
    await fetch(String(allowed.location))

    await lineWith(client, /POST \/data\/io\.svc\.notes +201/)
    await lineWith(client, /GET {2}\/data\/io\.svc\.notes +200/)
    await lineWith(client, /GET {2}\/data\/io\.svc\.contacts +403/)
    await lineWith(client, /Refreshed/)
    const id = new URL(address).searchParams.get('client_id')
    expect(await revoke(owner, String(id))).to.equal(204)
    await lineWith(client, /The token was revoked/)
  })

  it('says in a line that the owner refused', async () => {
    const { base, owner } = await openHost()
    const client = run(['examples/client/src/main.ts', base], {})
    const address = await lineWith(client, /http\S+\/auth\/authorize\?\S+/)
    const { links } = (await owner.get(address)).page()
    const refuse = links.find(({ text }) => text === 'Don’t allow')
    await fetch(refuse?.href ?? '')
    expect(await rest(client)).to.deep.equal(['', 'Refused: the client has no access.'])
    expect(await exitCode()).to.equal(1)
  })

  it('says in a line that no server answers', async () => {
    const base = `http://alice.localhost:${await freePort()}`
    const client = run(['examples/client/src/main.ts', base], {})
    expect(await rest(client)).to.deep.equal([`No server answers at ${base}: is it running?`])
    expect(await exitCode()).to.equal(1)
  })
})

/** What the button of the settings app does. */
async function revoke(owner: BrowserClient, clientId: string): Promise<number> {
  const from = owner.base.replace('alice', 'settings.alice')
  const app = await owner.get(`${from}/`)
  const token = app.page().attribute('data-svc-token')
  const answer = await owner.request('DELETE', `/settings/clients/${clientId}`, {
    from,
    headers: { authorization: `Bearer ${token}` },
  })
  return answer.status
}

/** What a process says, nothing lost between two reads. */
type Lines = AsyncIterator<string, undefined>

/** All that a process still says until it ends. */
async function rest(lines: Lines): Promise<readonly string[]> {
  const said: string[] = []
  for (let next = await lines.next(); next.value !== undefined; next = await lines.next()) {
    said.push(next.value)
  }
  return said
}

/** What matched in the next line that matches. @throws Error with all that was said when the process ends first */
async function lineWith(lines: Lines, pattern: RegExp): Promise<string> {
  const [found = ''] = await linesWith(lines, [pattern])
  return found
}

/**
 * The same for several patterns, in whatever order their lines come: one may be printed and another one logged, and
 * nobody says which of two pipes is read first.
 */
async function linesWith(
  lines: Lines,
  patterns: readonly RegExp[],
): Promise<readonly (string | undefined)[]> {
  const found: (string | undefined)[] = patterns.map(() => undefined)
  const seen: string[] = []
  while (found.includes(undefined)) {
    const { value } = await lines.next()
    if (value === undefined) {
      const missing = patterns.filter((_, at) => found[at] === undefined)
      throw new Error(
        `no ${missing.map(({ source }) => source).join(', ')} in:\n${seen.join('\n')}`,
      )
    }
    seen.push(value)
    patterns.forEach((pattern, at) => (found[at] ??= pattern.exec(value)?.[0]))
  }
  return found
}
