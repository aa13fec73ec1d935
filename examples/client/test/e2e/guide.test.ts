import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type BrowserClient, skipUnless, timeBudget, until } from '@svc/testkit'
import { expect } from 'chai'
import { localFetch } from '../../src/local-fetch.ts'
import { Programs, ROOT } from '../support/programs.ts'

const GUIDE = path.join(ROOT, 'examples/client/guide')

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

describe('the programs of the client guide, beside the example host', function () {
  this.timeout(timeBudget(60_000))

  const folder = mkdtempSync(path.join(tmpdir(), 'svc-guide-'))
  const programs = new Programs(path.join(folder, 'data'))
  let base: string
  let owner: BrowserClient
  let env: Readonly<Record<string, string>>

  before(async () => {
    ;({ owner, env } = await programs.openHost())
    // The guide names no instance: the host has one, and leads there.
    base = `http://localhost:${env['SVC_PORT']}`
  })
  after(async () => {
    await programs.close()
    rmSync(folder, { recursive: true, force: true })
  })

  for (const { language, command, file, tokens } of CLIENTS) {
    it(`does its round in ${language}, is kept over a start, and notices its end`, async function () {
      skipUnless(this, canRun(language), `no programs for ${language}; install ${NEEDED[language]}`)
      const own = mkdtempSync(path.join(folder, 'client-'))
      const program = path.join(GUIDE, file)

      const first = programs.run(command, [program, base, 'once'], env, own)
      const asked = (await first.line(/^ *Open .*/)).trim().slice('Open '.length)
      const consent = (await owner.get(asked)).page()
      expect(consent.text).to.contain('Guide ')
      const back = String((await owner.submit(consent.form('/auth/authorize'))).location)
      if (language === 'curl') first.child.stdin.write(`${back}\n`)
      else await fetch(back)
      await first.line(/^ *Note 201/)
      await first.line(/^ *Notified true/)
      await first.line(/^ *Secret 200/)
      expect(await first.ended()).to.include({ code: 0 })

      // As after a day: the access token counts no more.
      const kept = path.join(own, tokens)
      const text = readFileSync(kept, 'utf8')
      writeFileSync(kept, text.replace(/("access_token":\s*")[^"]+/, '$1outlived'))
      const second = programs.run(command, [program, base], env, own)
      await second.line(/^ *Refreshed/)
      await second.line(/^ *Note 201/)
      await second.line(/^ *Listening/)
      // Until it hears one: the server says nothing when a subscription counts.
      let isHeard = false
      const heard = second.line(/^ *Heard /).finally(() => (isHeard = true))
      await until(async () => {
        await write(new URL('/data/io.svc.notes', asked), readFileSync(kept, 'utf8'))
        return isHeard
      })
      await heard

      const id = new URL(asked).searchParams.get('client_id') ?? ''
      const svc = ['--conditions=source', 'examples/host/src/cli.ts']
      const revoke = ['client', 'revoke', new URL(asked).host, id]
      const revoked = programs.run(process.execPath, [...svc, ...revoke], env)
      expect(await revoked.ended()).to.include({ code: 0 })
      await second.line(/^ *Revoked/)
      expect(await second.ended()).to.include({ code: 0 })
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
})

/** Whether this machine has what a program is written with. */
function canRun(language: string): boolean {
  const succeeds = (command: string, ...args: readonly string[]): boolean =>
    spawnSync(command, args, { stdio: 'ignore' }).status === 0
  if (language === 'Python') return succeeds(PYTHON, '-c', 'import requests, websockets')
  return language !== 'curl' || (succeeds('curl', '--version') && succeeds('openssl', 'version'))
}
