import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '@svc/store/testing'
import { expect } from 'chai'
import { WWWAuthenticateChallengeError } from 'oauth4webapi'
import { browserClient, installPackages, packPackages, relyingParty } from '../../src/index.ts'

const ROOT = path.resolve(import.meta.dirname, '../../../..')
const BASE = 'https://alice.example.com'

describe('the server of docs/embedding.md, on the packed packages', function () {
  this.timeout(120_000)

  let folder: string
  let server: ChildProcess | undefined

  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'svc-embedding-'))
    const packed = packPackages(ROOT, folder)
    installPackages(packed, folder, {
      '@types/koa': '3.0.3',
      '@types/node': '24.19.2',
      koa: '3.3.0',
    })
    writeFileSync(path.join(folder, 'server.ts'), serverOf('docs/embedding.md'))
  })

  after(async () => {
    if (server !== undefined && server.exitCode === null) {
      const ended = once(server, 'exit')
      server.kill()
      await ended
    }
    rmSync(folder, { recursive: true, force: true })
  })

  it('has about 30 lines', () => {
    const lines = serverOf('docs/embedding.md').split('\n')
    expect(lines.filter((line) => line.trim() !== '')).to.have.length.below(36)
  })

  it('is the one of the README', () => {
    expect(serverOf('README.md')).to.equal(serverOf('docs/embedding.md'))
  })

  it('is right for the type checker, without skipping the packages', () => {
    const settings = {
      compilerOptions: {
        target: 'es2024',
        module: 'nodenext',
        strict: true,
        noEmit: true,
        skipLibCheck: false,
        types: ['node'],
      },
      files: ['server.ts'],
    }
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(settings))
    expect(typeErrors(folder)).to.equal('')
  })

  it('does the main job', async () => {
    const port = await freePort()
    server = spawn(process.execPath, ['server.ts'], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        DOMAIN: 'alice.example.com',
        PORT: String(port),
        SEALING_KEY: randomBytes(32).toString('base64'),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const link = (await firstLine(server)).replace('Open ', '')

    const owner = browserClient({ base: BASE, port })
    const choose = (await owner.get(link)).page().form('/settings/passphrase')
    const onboarded = await owner.submit(choose, { passphrase: 'correct horse battery staple' })
    expect(onboarded.status).to.equal(302)

    const client = relyingParty({ issuer: BASE, port })
    await client.register({ client_name: 'Notes' })
    const pending = await client.authorize({ scope: 'io.svc.files:GET' })
    const consent = (await owner.get(pending.url)).page()
    expect(consent.text).to.contain('Notes')
    const allowed = await owner.submit(consent.form('/auth/authorize'))
    expect(allowed.status).to.equal(302)
    const tokens = await client.exchange(String(allowed.location), pending)

    const files = await client.call(tokens.access_token, 'GET', `${BASE}/files`)
    expect(await files.json()).to.deep.equal({ files: ['notes of alice.example.com'] })

    const renewed = await client.refresh(String(tokens.refresh_token))
    expect((await client.call(renewed.access_token, 'GET', `${BASE}/files`)).status).to.equal(200)

    await client.revoke(String(tokens.refresh_token))
    const refused = await client
      .call(renewed.access_token, 'GET', `${BASE}/files`)
      .catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(WWWAuthenticateChallengeError)
  })
})

/** The TypeScript of a page's first `ts` block that is a whole program. */
function serverOf(document: string): string {
  const text = readFileSync(path.join(ROOT, document), 'utf8')
  const code = /```ts\n([\s\S]*?)```/.exec(text)?.[1]
  if (code === undefined) throw new Error(`${document} has no TypeScript`)
  return code
}

function typeErrors(cwd: string): string {
  try {
    execFileSync(path.join(ROOT, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd, encoding: 'utf8' })
    return ''
  } catch (error) {
    // What the checker printed.
    return (error as { stdout: string }).stdout
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the server has no output')
  const lines = createInterface({ input: child.stdout })
  const ended = once(child, 'exit').then(() => {
    throw new Error('the server ended before it said anything')
  })
  const [line] = (await Promise.race([once(lines, 'line'), ended])) as [string]
  return line
}
