import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import {
  type BrowserClient,
  browserClient,
  freePort,
  skipUnless,
  timeBudget,
  until,
} from '@svc/testkit'
import { expect } from 'chai'
import { localFetch } from '../../src/local-fetch.ts'

const ROOT = path.resolve(import.meta.dirname, '../../../..')
const GUIDE = path.join(ROOT, 'examples/client/guide')
const PASSPHRASE = 'seven green kettles sing at dawn'

/** The interpreter that the packages of Debian are for. */
const PYTHON = '/usr/bin/python3'
const CLIENTS = [
  { language: 'TypeScript', command: process.execPath, file: 'client.ts', tokens: 'client.json' },
  { language: 'Python', command: PYTHON, file: 'client.py', tokens: 'client.json' },
  { language: 'curl', command: '/bin/sh', file: 'client.sh', tokens: 'client/tokens' },
]

/** Packages of Debian. */
const NEEDED: Readonly<Record<string, string>> = {
  Python: 'python3-requests and python3-websockets',
  curl: 'curl and openssl',
}

interface Running {
  readonly child: ChildProcessWithoutNullStreams
  /** The first line from here on that begins so. @throws Error when the program ends before */
  line(begin: string, pattern?: RegExp): Promise<string>
  ended(): Promise<number | null>
}

describe('the programs of the client guide, beside the example host', function () {
  this.timeout(timeBudget(60_000))

  let folder: string
  let base: string
  let owner: BrowserClient
  let hostPort: string
  let adminPort = '0'
  const running: Running[] = []

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'svc-guide-'))
    const port = await freePort()
    hostPort = String(port)
    const host = run(process.execPath, ['--conditions=source', 'examples/host/src/main.ts'], ROOT)
    const link = (await host.line('http', /registerToken=/)).match(/http\S+/)?.[0] ?? ''
    // A line of the log.
    const started = JSON.parse(await host.line('', /server\.started/)) as { adminPort: number }
    adminPort = String(started.adminPort)
    // The guide names no instance: the host has one, and leads there.
    base = `http://localhost:${port}`
    owner = browserClient({ base: new URL(link).origin, port })
    const choose = (await owner.get(link)).page().form('/settings/passphrase')
    await owner.submit(choose, { passphrase: PASSPHRASE })
  })

  after(async () => {
    for (const { child, ended } of running) {
      child.kill()
      await ended()
    }
    rmSync(folder, { recursive: true, force: true })
  })

  for (const { language, command, file, tokens } of CLIENTS) {
    it(`does its round in ${language}, is kept over a start, and notices its end`, async function () {
      skipUnless(this, canRun(language), `no programs for ${language}; install ${NEEDED[language]}`)
      const own = mkdtempSync(path.join(folder, 'client-'))
      const program = path.join(GUIDE, file)

      const first = run(command, [program, base, 'once'], own)
      const asked = (await first.line('Open ')).slice('Open '.length)
      const consent = (await owner.get(asked)).page()
      expect(consent.text).to.contain('Guide ')
      const back = String((await owner.submit(consent.form('/auth/authorize'))).location)
      if (language === 'curl') first.child.stdin.write(`${back}\n`)
      else await fetch(back)
      await first.line('Note 201')
      await first.line('Notified true')
      await first.line('Secret 200')
      expect(await first.ended()).to.equal(0)

      // As after a day: the access token counts no more.
      const kept = path.join(own, tokens)
      const text = readFileSync(kept, 'utf8')
      writeFileSync(kept, text.replace(/("access_token":\s*")[^"]+/, '$1outlived'))
      const second = run(command, [program, base], own)
      await second.line('Refreshed')
      await second.line('Note 201')
      await second.line('Listening')
      // Until it hears one: the server says nothing when a subscription counts.
      let isHeard = false
      const heard = second.line('Heard ').finally(() => (isHeard = true))
      await until(async () => {
        await write(new URL('/data/io.svc.notes', asked), readFileSync(kept, 'utf8'))
        return isHeard
      })
      await heard

      const id = new URL(asked).searchParams.get('client_id') ?? ''
      const svc = ['--conditions=source', 'examples/host/src/cli.ts']
      const revoke = ['client', 'revoke', new URL(asked).host, id]
      expect(await run(process.execPath, [...svc, ...revoke], ROOT).ended()).to.equal(0)
      await second.line('Revoked')
      expect(await second.ended()).to.equal(0)
      expect(existsSync(kept)).to.equal(false)
    })
  }

  /** Writes a note with the token that a client keeps. */
  async function write(notes: URL, kept: string): Promise<void> {
    const [, token = ''] = /"access_token":\s*"([^"]+)/.exec(kept) ?? []
    const answer = await localFetch(notes, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{"text":"from the test"}',
    })
    expect(answer.status).to.equal(201)
  }

  function run(command: string, args: readonly string[], cwd: string): Running {
    const child = spawn(command, args, {
      cwd,
      env: {
        PATH: process.env['PATH'],
        SVC_ADMIN_PORT: adminPort,
        SVC_DATA_DIR: path.join(folder, 'data'),
        SVC_PORT: hostPort,
      },
    })
    const exit = once(child, 'close')
    const said: string[] = []
    // What nobody asked for yet: two pipes are read in any order.
    const unread: string[] = []
    let wake = (): void => undefined
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        said.push(line)
        unread.push(line)
        wake()
      })
    }
    let isOver = false
    void exit.then(() => {
      isOver = true
      wake()
    })
    const one: Running = {
      child,
      async line(begin, pattern = /(?:)/) {
        for (;;) {
          const isWanted = (line: string): boolean =>
            line.trim().startsWith(begin) && pattern.test(line)
          const at = unread.findIndex(isWanted)
          if (at >= 0) return unread.splice(at, 1)[0] ?? ''
          if (isOver) throw new Error(`${args.join(' ')} never said ${begin}:\n${said.join('\n')}`)
          await new Promise<void>((resolve) => (wake = resolve))
        }
      },
      ended: async () => (await exit)[0] as number | null,
    }
    running.push(one)
    return one
  }
})

/** Whether this machine has what a program is written with. */
function canRun(language: string): boolean {
  const succeeds = (command: string, ...args: readonly string[]): boolean =>
    spawnSync(command, args, { stdio: 'ignore' }).status === 0
  if (language === 'Python') return succeeds(PYTHON, '-c', 'import requests, websockets')
  return language !== 'curl' || (succeeds('curl', '--version') && succeeds('openssl', 'version'))
}
