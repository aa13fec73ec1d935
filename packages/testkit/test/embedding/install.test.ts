import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { freePort } from '@svc/store/testing'
import { expect } from 'chai'
import { installCommands, sharedPackages, timeBudget } from '../../src/index.ts'
import { suiteFolder } from '../support/folders.ts'

const ROOT = path.resolve(import.meta.dirname, '../../../..')
const EXAMPLE = path.join(ROOT, 'examples/embedded')
/** The oldest Node that will do, and one that will not. */
const OLDEST = '22.22.2'
const TOO_OLD = '20.20.2'

interface Ran {
  readonly status: number | null
  readonly output: string
}

function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Ran {
  const PATH = `${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env: { ...process.env, NODE_OPTIONS: '', npm_config_prefer_offline: 'true', PATH, ...env },
    encoding: 'utf8',
    timeout: timeBudget(120_000),
  })
  return { status, output: stdout + stderr }
}

function must({ status, output }: Ran): string {
  if (status !== 0) throw new Error(output)
  return output
}

describe('the first ten minutes with the packages', function () {
  this.timeout(300_000)
  const folder = suiteFolder()
  let withNpm: string
  let withPnpm: string
  const printed: string[] = []

  before(() => {
    withNpm = mkdtempSync(path.join(folder, 'npm-'))
    withPnpm = mkdtempSync(path.join(folder, 'pnpm-'))
    const { npm, pnpm } = installCommands(ROOT)
    for (const [commands, cwd] of [
      [npm, withNpm],
      [pnpm, withPnpm],
    ] as const) {
      // Packing is the clone's business: here it is what the commands say after it.
      printed.push(must(run('sh', ['-ec', commands], cwd, { SVC: ROOT })))
      cpSync(path.join(EXAMPLE, 'server.mjs'), path.join(cwd, 'server.mjs'))
      cpSync(path.join(EXAMPLE, 'test'), path.join(cwd, 'test'), { recursive: true })
    }
    must(run('npm', ['init', '-y'], folder))
    const nodes = [OLDEST, TOO_OLD].map((version) => `node-${version}@npm:${nodeName()}@${version}`)
    must(run('npm', ['install', '--ignore-scripts', ...nodes], folder))
  })

  /** As npm calls the package that a Node for this machine comes in. */
  function nodeName(): string {
    return `node-${process.platform}-${process.arch}`
  }

  function otherNode(version: string): string {
    return path.join(folder, 'node_modules', `node-${version}`, 'bin/node')
  }

  /** The test of the example, on the server as it was installed. */
  function testExample(cwd: string, node = process.execPath): string {
    return must(run(node, ['--test', 'test/server.test.mts'], cwd))
  }

  it('are at most five commands and two files', () => {
    for (const commands of Object.values(installCommands(ROOT))) {
      // One more starts it.
      const lines = commands.split('\n').filter((line) => line !== '' && !line.startsWith('SVC='))
      expect(lines.length + 1).to.be.at.most(5)
    }
  })

  it('warn of no script that was not run', () => {
    expect(printed).to.have.lengthOf(2)
    expect(printed.join('\n')).not.to.match(/install-scripts|build scripts|cbor-extract|msgpackr/u)
  })

  it('type check the Express example with npm, by its own settings and dependencies', () => {
    const cwd = path.join(folder, 'express')
    cpSync(path.join(ROOT, 'examples/mounts/express'), cwd, {
      recursive: true,
      filter: (from) => !from.includes('node_modules'),
    })
    const tarballs = sharedPackages(ROOT).map(({ file }) => file)
    expect(must(run('npm', ['install', ...tarballs], cwd))).not.to.contain('install-scripts')
    expect(run('npm', ['run', 'types'], cwd)).to.include({ status: 0 })
  })

  it('work as printed with npm', () => {
    expect(testExample(withNpm)).to.contain('pass 1')
  })

  it('work as printed with pnpm', () => {
    expect(testExample(withPnpm)).to.contain('pass 1')
  })

  it('work on the oldest Node', () => {
    expect(testExample(withNpm, otherNode(OLDEST))).to.contain('pass 1')
  })

  it('end with one sentence on an older Node, whichever entry is loaded first', () => {
    const sentence = `Svc needs Node >= 22.22.2 or >= 24.14.1; this is ${TOO_OLD}.`
    const readme = readFileSync(path.join(ROOT, 'README.md'), 'utf8')
    const [, named = ''] = /`node (server\.\w+)`/.exec(readme) ?? []
    expect(run(otherNode(TOO_OLD), [named], withNpm).output).to.contain(sentence)
    // Built ones begin with an import of a package.
    for (const name of [
      'embedded',
      'mounts/express',
      'mounts/fastify',
      'mounts/hono',
      'mounts/node',
    ]) {
      const text = readFileSync(path.join(ROOT, 'examples', name, 'package.json'), 'utf8')
      // A manifest of this repository.
      const { scripts } = JSON.parse(text) as { readonly scripts: Record<string, string> }
      writeFileSync(path.join(withNpm, 'server.ts'), '')
      for (const script of ['start', ...(name === 'embedded' ? ['test'] : [])]) {
        const PATH = `${path.dirname(otherNode(TOO_OLD))}:${process.env['PATH'] ?? ''}`
        const { output } = run('sh', ['-c', scripts[script] ?? ''], withNpm, { PATH })
        expect(output, `${name} ${script}`).to.contain(sentence)
      }
    }
    const entries = globSync('node_modules/@svc/*/package.json', { cwd: withNpm }).flatMap(
      (file) => {
        // As it was packed.
        const { name, exports } = JSON.parse(readFileSync(path.join(withNpm, file), 'utf8')) as {
          readonly name: string
          readonly exports: Readonly<Record<string, unknown>>
        }
        // What tells of servers from outside stands on none of these.
        if (name === '@svc/contract') return []
        return Object.keys(exports).map((entry) => path.posix.join(name, entry))
      },
    )
    expect(entries.length).to.be.above(12)
    const code = `for (const entry of ${JSON.stringify(entries)}) {
      await import(entry).then(() => 'it loads', (error) => error.message).then((text) => console.log(text))
    }`
    const { output } = run(otherNode(TOO_OLD), ['--input-type=module', '-e', code], withNpm)
    expect(output.trim().split('\n')).to.deep.equal(entries.map(() => sentence))
  })

  describe('say what comes next after a wrong step:', () => {
    it('the port is taken', async () => {
      const other = createServer().listen(0, '127.0.0.1')
      await once(other, 'listening')
      const { port } = other.address() as AddressInfo // it listens on a port
      const { status, output } = run(process.execPath, ['server.mjs', '--memory'], withNpm, {
        PORT: String(port),
      })
      other.close()
      expect(output).to.contain(`127.0.0.1:${port}; choose another: PORT=8081`)
      expect(status).not.to.equal(0)
    })

    it('there are no keys in production', () => {
      const cwd = mkdtempSync(path.join(folder, 'data-'))
      const { output } = run(process.execPath, [path.join(withNpm, 'server.mjs')], cwd, {
        NODE_ENV: 'production',
      })
      expect(output).to.contain('options.file: does not exist. Make it with: ')
      expect(output).to.contain('openssl rand -base64 32')
    })

    it('a key is empty, an option is misspelt', () => {
      const code = `import { createOAuth } from '@svc/oauth-core'
        import { sqliteStore } from '@svc/store/sqlite'
        const store = sqliteStore({ file: ':memory:' })
        createOAuth({ store, trustproxy: 1, keys: [{ kid: 'one', key: Buffer.alloc(0) }] })`
      const { output } = run(process.execPath, ['--input-type=module', '-e', code], withNpm)
      expect(output).to.contain(
        'options.keys[0].key: 0 bytes, needs 32. Make one with: openssl rand -base64 32',
      )
      expect(output).to.contain('options.trustproxy: unknown, did you mean trustProxy?')
    })

    it('an optional package is not installed', async () => {
      const code = `import { createAuthUi } from '@svc/auth-ui'
        import { createOAuth } from '@svc/oauth-core'
        import { toFetch } from '@svc/oauth-core/fetch'
        import { sqliteStore } from '@svc/store/sqlite'
        const store = sqliteStore({ file: ':memory:' })
        const oauth = createOAuth({ store, keys: [{ kid: 'one', key: Buffer.alloc(32, 1) }] })
        const ui = createAuthUi({ oauth, mailer: { send: async () => {} } })
        const owner = { domain: 'a.localhost', email: 'a@example.com' }
        const { instance } = await ui.owners.createInstance(owner)
        const imported = { over: 'passphrase', hash: '$2b$05$' + 'a'.repeat(53) }
        for (const attempt of [
          () => toFetch(() => {}),
          () => ui.owners.importPassphrase(instance, imported),
        ]) {
          try {
            await attempt()
          } catch ({ code, message }) {
            console.log(code, message)
          }
        }`
      const { output } = run(process.execPath, ['--input-type=module', '-e', code], withNpm)
      expect(output).to.contain(
        'invalid_options toFetch: needs the package light-my-request. Install it with: npm install light-my-request',
      )
      expect(output).to.contain('needs the package hash-wasm: npm install hash-wasm')
    })

    it('nothing takes mail, and a name leads nowhere', async () => {
      const port = String(await freePort())
      const unused = String(await freePort())
      // It ends by itself once it said where it is.
      const code = `process.argv.push('--memory')
        const { log } = console
        console.log = (text) => { log(text); process.exit(0) }
        await import('./server.mjs')`
      const { output } = run(process.execPath, ['--input-type=module', '-e', code], withNpm, {
        DOMAIN: 'alice.invalid',
        PORT: port,
        SMTP_PORT: unused,
      })
      expect(output).to.contain(`Mails wait: no server on port ${unused}; set SMTP_PORT`)
      expect(output).to.contain(
        'home.alice.invalid does not resolve here: add a record for *.alice.invalid',
      )
    })
  })
})
