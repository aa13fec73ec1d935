import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { skipUnless } from '@svc/testkit'
import { expect } from 'chai'
import { testFolder } from '../support/for-test.ts'
import {
  type CommandResult,
  hostEnvironment,
  type HostProcess,
  runSvc,
  spawnHost,
} from '../support/host-process.ts'

/** Of no account on the machine. */
const USER = 12_345
const ENV = { SVC_DEMO: 'off' }

/** @see decision D99 */
describe('files below a data directory of another user, made by root', function () {
  this.timeout(180_000)
  let folder: string
  let dataDir: string
  let running: HostProcess | undefined

  before(function () {
    skipUnless(this, process.getuid?.() === 0, 'only root can make files for another user')
  })
  beforeEach(async () => {
    folder = testFolder()
    chmodSync(folder, 0o755)
    dataDir = emptyFolder('data')
  })
  afterEach(async () => {
    await running?.stop()
    running = undefined
  })

  function emptyFolder(name: string): string {
    const made = path.join(folder, name)
    mkdirSync(made, { mode: 0o700 })
    chownSync(made, USER, USER)
    return made
  }

  async function start(uid?: number, place: string = dataDir): Promise<HostProcess> {
    running = await spawnHost({ dataDir: place, env: ENV, ...(uid !== undefined && { uid }) })
    return running
  }

  async function stop(): Promise<void> {
    expect(await running?.stop()).to.equal(0)
    running = undefined
  }

  /** A command of root while no server runs. */
  const alone = (...args: string[]): Promise<CommandResult> =>
    runSvc(
      args,
      hostEnvironment({ ...ENV, SVC_DATA_DIR: dataDir, SVC_ADMIN_URL: 'http://127.0.0.1:9' }),
    )

  async function good(result: Promise<CommandResult>): Promise<string> {
    const { code, stdout, stderr } = await result
    expect(code, `${stdout}${stderr}`).to.equal(0)
    return stdout
  }

  /** Those that the user of the server does not own. */
  function foreignFiles(): string[] {
    return globSync('**', { cwd: dataDir }).filter(
      (name) => lstatSync(path.join(dataDir, name)).uid !== USER,
    )
  }

  /** A backup as root has it that copied it there, and the keys of its server. */
  async function backupOfRoot(...args: string[]): Promise<string> {
    const source = emptyFolder('source')
    const backups = path.join(source, 'backups', 'new')
    const host = await start(USER, source)
    const made = await good(host.svc('backup', 'create', '--to', backups, ...args, '--json'))
    await stop()
    const { file } = JSON.parse(made) as { readonly file: string }
    for (const name of globSync('*', { cwd: backups })) {
      expect(statSync(path.join(backups, name)).uid, name).to.equal(USER)
      chownSync(path.join(backups, name), 0, 0)
    }
    expect(statSync(backups).uid).to.equal(USER)
    keysOf(source)
    return file
  }

  /** Brings the keys of a server to the new place, as its user. */
  function keysOf(source: string): void {
    const keys = path.join(dataDir, 'keys')
    writeFileSync(keys, readFileSync(path.join(source, 'keys')), { mode: 0o600 })
    chownSync(keys, USER, USER)
  }

  it("are the user's after a first start by root, and the server of the user starts", async () => {
    await start()
    expect(foreignFiles()).to.deep.equal([])
    await running?.stop('SIGKILL')
    expect(foreignFiles()).to.deep.equal([])
    await start(USER)
  })

  it("are the user's after a restore, to a new machine and over a store", async () => {
    const file = await backupOfRoot()
    for (const _round of ['new', 'over']) {
      await good(alone('backup', 'restore', file))
      expect(foreignFiles()).to.deep.equal([])
      await start(USER)
      await stop()
      const said = await alone('doctor', '--offline', '--json')
      expect(said.stdout).to.not.include('belongs to the user')
    }
  })

  it("are the user's after a restore of an encrypted backup", async () => {
    const { generateX25519Identity, identityToRecipient } = await import('age-encryption')
    const identity = await generateX25519Identity()
    const key = path.join(folder, 'identity')
    writeFileSync(key, `${identity}\n`, { mode: 0o600 })
    const file = await backupOfRoot('--recipient', await identityToRecipient(identity))
    await good(alone('backup', 'restore', file, '--identity-file', key))
    expect(foreignFiles()).to.deep.equal([])
    await start(USER)
  })

  it("are the user's after svc store copy", async () => {
    const source = emptyFolder('source')
    await start(USER, source)
    await stop()
    const [from, to] = [source, dataDir].map((place) => `sqlite:${path.join(place, 'store.db')}`)
    await good(alone('store', 'copy', '--from', String(from), '--to', String(to)))
    keysOf(source)
    expect(foreignFiles()).to.deep.equal([])
    await start(USER)
  })

  it('are named by doctor and at a start where root left one', async () => {
    await start(USER)
    await stop()
    const left = path.join(dataDir, 'store.db.lock')
    chownSync(left, 0, 0)
    const { stdout } = await alone('doctor', '--offline')
    expect(stdout).to.include(
      `${left} belongs to the user 0, and the data directory to ${USER}. Give it to the owner of the data directory: chown ${USER} ${left}`,
    )
    expect(stdout).to.not.include('chown 0')
  })

  const planted: readonly [name: string, by: 'restore' | 'start'][] = [
    ['admin-token', 'start'],
    ['keys', 'start'],
    ['reserve.new', 'start'],
    ['store.db', 'restore'],
    ['store.db', 'start'],
    ['store.db-shm', 'start'],
    ['store.db-wal', 'start'],
    ['store.db.lock', 'restore'],
    ['store.db.lock', 'start'],
    ['store.db.restoring', 'restore'],
    ['store.db.restoring-wal', 'restore'],
    ['store.db.restoring.lock', 'restore'],
  ]
  for (const [name, by] of planted) {
    it(`never follow a link in the place of ${name} (${by})`, async () => {
      const file = by === 'restore' ? await backupOfRoot() : ''
      const run = (): Promise<unknown> =>
        by === 'restore' ? alone('backup', 'restore', file) : runFaultyOrStop()
      const outside = path.join(folder, 'outside')
      const link = path.join(dataDir, name)
      for (const content of [undefined, 'a secret']) {
        rmSync(outside, { force: true })
        if (content !== undefined) writeFileSync(outside, content, { mode: 0o644 })
        rmSync(link, { force: true })
        symlinkSync(outside, link)
        await run()
        if (content === undefined) expect(existsSync(outside)).to.equal(false)
        else {
          expect(readFileSync(outside, 'utf8')).to.equal(content)
          const { mode, uid } = statSync(outside)
          expect([mode & 0o777, uid]).to.deep.equal([0o644, 0])
        }
      }
    })
  }

  /** A start by root, which may refuse the link. */
  async function runFaultyOrStop(): Promise<void> {
    const host = await spawnHost({ dataDir, env: ENV }).catch((error: unknown) => error)
    if (host instanceof Error) return
    await (host as HostProcess).stop()
  }
})
