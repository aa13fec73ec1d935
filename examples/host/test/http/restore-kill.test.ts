import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { copyFile, mkdtemp } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { toFound } from '@svc/platform'
import { type DumpEntry, recordKey, type Store, systemClock } from '@svc/store'
import { redisStore } from '@svc/store/redis'
import { dumpSqliteFile, type EmbeddedStore } from '@svc/store/sqlite'
import { type RedisServer, sendToRedis, startRedisServer } from '@svc/store/testing'
import { browserClient, needsRedis, type RelyingParty, until } from '@svc/testkit'
import { expect } from 'chai'
import { restoreBackup } from '../../src/backups/restore-backup.ts'
import { putMark } from '../../src/backups/restored-record.ts'
import { createInstance } from '../../src/create-instance.ts'
import { KNOWN_VERSIONS } from '../../src/storage/store-version.ts'
import { closeAfterTest, suiteFolder } from '../support/for-test.ts'
import { hostEnvironment, type HostProcess, spawnHost } from '../support/host-process.ts'
import { startTestHost, type TestHost } from '../support/test-host.ts'

const HOST = path.resolve(import.meta.dirname, '../..')
const KEYS = `k1:${createHash('sha256').update('restored').digest('base64')}`
const OWNERS = 40
const SESSIONS = 4000
/** Of one write, of 128 that may be. */
const AT_ONCE = 100

/** Where the first start is, as the store says. */
interface Progress {
  /** Sessions of before that are left. */
  readonly sessions: number
  /** Instances whose access keys are new. */
  readonly keys: number
  /** Owners who were told. */
  readonly told: number
}

type When = (at: Progress) => boolean

const POINTS: readonly (readonly [what: string, when: When])[] = [
  ['the first sessions ended', ({ sessions }) => sessions < SESSIONS * 0.95],
  ['most sessions ended', ({ sessions }) => sessions < SESSIONS * 0.2],
  ['some keys were replaced', ({ keys }) => keys > OWNERS / 4],
  ['some owners were told', ({ told }) => told > OWNERS / 4],
]

/** @see operation.md 4.2.3 */
describe('the first start after a restore, when it is killed', function () {
  this.timeout(180_000)
  const folder = suiteFolder()
  let backup: string
  let made: TestHost
  let token: string
  let refreshToken: string
  let party: RelyingParty
  let cookie: string
  let whole: readonly string[]

  before(async () => {
    backup = path.join(folder, 'backup.db')
    made = await startTestHost({ SVC_KEYS: KEYS })
    const { host, instance } = made
    ;({ party, token, refreshToken } = await made.connect('io.svc.notes'))
    const session = (await host.app.ui.owners.createSession(instance)).cookie
    cookie = `${session.name}=${session.value}; Path=/; Domain=${instance.domain}; Secure`
    const ids = [instance.id]
    for (let n = 1; n < OWNERS; n += 1) {
      const domain = `owner-${n}.example.com`
      const { instance: other } = await createInstance(host.app, {
        domain,
        email: 'o@mail.example',
      })
      ids.push(other.id)
    }
    await addSessions(host.store, ids)
    await (host.store as EmbeddedStore).backup(backup) // The default of a test host.
    await host.stop()
    const { server, stop } = await startOn(await restoredFolder())
    whole = await settled(server)
    await stop()
  })
  after(async () => {
    await made?.stop().catch(() => {})
  })

  /** Copies of one that the server made, under other ids, which nobody has a cookie for. */
  async function addSessions(store: Store, ids: readonly string[]): Promise<void> {
    let one: Extract<DumpEntry, { type: 'record' }> | undefined
    for await (const entry of store.dump()) {
      if (entry.type === 'record' && toFound(entry).kind === 'session') one = entry
    }
    if (one === undefined) throw new Error('there is no session')
    const { value, expiresAt } = one
    for (let at = 0; at < SESSIONS; at += AT_ONCE) {
      const id = ids[(at / AT_ONCE) % ids.length] ?? ''
      await store.write(
        Array.from({ length: AT_ONCE }, (_, n) => ({
          op: 'put' as const,
          key: recordKey(id, 'session', `made-${at + n}`),
          value,
          ...(expiresAt !== undefined && { expiresAt }),
        })),
      )
    }
  }

  /** A data folder with the backup in it, restored as the command does it. */
  async function restoredFolder(): Promise<string> {
    const dataDir = await mkdtemp(path.join(folder, 'data-'))
    const plain = path.join(dataDir, 'plain.db')
    await copyFile(backup, plain)
    const place = path.join(dataDir, 'store.db')
    const backupAt = Date.now() - 1000
    const how = { revokeGrants: false, isSameInstant: false, clock: systemClock }
    await restoreBackup({ plain, place, backupAt, ...how })
    return dataDir
  }

  const envOf = (dataDir: string, store?: string): Record<string, string> => ({
    SVC_DATA_DIR: dataDir,
    SVC_DEMO: 'off',
    SVC_KEYS: KEYS,
    ...(store !== undefined && { SVC_STORE: store }),
  })

  async function startOn(dataDir: string, store?: string) {
    const server = await spawnHost({ dataDir, env: envOf(dataDir, store) })
    return { server, stop: () => server.stop() }
  }

  /** Starts the host, and kills it once its store says so. @returns where it was then */
  async function killAt(
    env: Readonly<Record<string, string>>,
    look: () => Promise<Progress>,
    when: When,
  ): Promise<Progress> {
    const child: ChildProcess = spawn(process.execPath, ['--conditions=source', 'src/main.ts'], {
      cwd: HOST,
      env: hostEnvironment(env),
      stdio: 'ignore',
    })
    const ended = once(child, 'close')
    try {
      while (child.exitCode === null && !when(await look())) await pause(2)
    } finally {
      child.kill('SIGKILL')
      await ended
    }
    return look()
  }

  /** Waits until all is done. @returns what an instance holds, and how often, for all of them */
  async function settled({ dataDir }: HostProcess, store?: Store): Promise<readonly string[]> {
    const file = path.join(dataDir, 'store.db')
    const reads = KNOWN_VERSIONS.reads
    const entries = () => store?.dump() ?? dumpSqliteFile({ file, clock: systemClock, reads })
    // Redis is read while others write: what a pass counts is whole when one before it saw that all was done.
    let wasTold = false
    const counts = await until(
      async () => {
        const kinds = new Map<string, number>()
        let isTold = false
        for await (const entry of entries()) {
          if (entry.type !== 'record') break
          const { kind, value } = toFound(entry)
          if (kind === 'restored') isTold = (value as { state?: string }).state === 'told'
          if (kind === 'dev-mail' && !JSON.stringify(value).includes('space_restored')) continue
          if (kind === 'keys') {
            const { keys } = value as { readonly keys: readonly { readonly n: number }[] }
            const isNew = keys.length === 1 && (keys[0]?.n ?? 0) > 1
            const name = `${entry.key.split(':').at(-1)} key${isNew ? ', new' : ''}`
            kinds.set(name, (kinds.get(name) ?? 0) + 1)
          }
          if (entry.key.startsWith('{host')) continue
          kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
        }
        const isWhole = wasTold
        // What an action leaves for the record of activity is put into it a moment later.
        wasTold = isTold && !kinds.has('activity-pending')
        return isWhole && wasTold && kinds
      },
      { limitMs: 60_000 },
    )
    return [...counts].map(([kind, count]) => `${kind}: ${count}`).toSorted()
  }

  /** What ended has ended, and what stays works. */
  async function use({ port }: HostProcess): Promise<void> {
    const { instance } = made
    const browser = browserClient({ base: instance.origin, port })
    const call = async (bearer: string): Promise<number> => {
      const headers = { authorization: `Bearer ${bearer}` }
      return (await browser.get('/data/io.svc.notes/none', { headers })).status
    }
    expect(await call(token), 'a token of before').to.equal(401)
    const refreshed = await browser.post('/auth/access_token', {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      client_id: String(party.client?.client_id),
      client_secret: String(party.client?.['client_secret']),
    })
    expect(refreshed.status, refreshed.text).to.equal(200)
    expect(await call(refreshed.json<{ access_token: string }>().access_token)).to.equal(404)
    browser.plantCookie(cookie, instance.origin)
    expect((await browser.get('/auth/login')).status, 'the session is over').to.equal(200)
  }

  /** One mail may have been on its way. */
  function expectAsWhole(found: readonly string[]): void {
    const mails = (lines: readonly string[]): number =>
      Number(lines.find((line) => line.startsWith('dev-mail:'))?.split(' ')[1])
    const others = (lines: readonly string[]) =>
      lines.filter((line) => !line.startsWith('dev-mail:'))
    expect(others(found)).to.deep.equal(others(whole))
    expect(mails(found)).to.be.within(mails(whole), mails(whole) + 1)
  }

  it('ends all that is over, when it is not killed', () => {
    expect(whole).to.include.members([
      `access key, new: ${OWNERS}`,
      `session key, new: ${OWNERS}`,
      `mail key: ${OWNERS}`,
      `restored-notice: ${OWNERS}`,
      `dev-mail: ${OWNERS}`,
      'grant: 1',
    ])
    expect(whole.filter((line) => line.startsWith('session:'))).to.deep.equal([])
  })

  for (const [what, when] of POINTS) {
    it(`is as good at the next one, killed after ${what}`, async () => {
      const dataDir = await restoredFolder()
      const db = new DatabaseSync(path.join(dataDir, 'store.db'), {
        readOnly: true,
        timeout: 10_000,
      })
      const count = (where: string): number =>
        Number(db.prepare(`SELECT count(*) AS n FROM records WHERE ${where}`).get()?.['n'])
      const look = async (): Promise<Progress> => ({
        sessions: count("key LIKE '%}:session:%'"),
        keys: count(`key LIKE '%}:keys:access' AND value LIKE '%"n":2%'`),
        told: count(`key LIKE '%}:restored-notice:%' AND value LIKE '%"isMailed":true%'`),
      })
      try {
        const at = await killAt(envOf(dataDir), look, when)
        expect(at.told, 'killed in the midst').to.be.lessThan(OWNERS)
      } finally {
        db.close()
      }
      const { server, stop } = await startOn(dataDir)
      closeAfterTest(() => stop())
      expectAsWhole(await settled(server))
      await use(server)
    })
  }

  it('is as good at the next one on Redis', async function () {
    needsRedis(this)
    const redis: RedisServer = await startRedisServer()
    const store = redisStore({ url: redis.url, clock: systemClock })
    try {
      const reads = KNOWN_VERSIONS.reads
      await store.load(dumpSqliteFile({ file: backup, clock: systemClock, reads }))
      const restoredAt = Date.now()
      const mark = { backupAt: restoredAt - 1000, restoredAt, revokeGrants: false }
      await putMark(store, mark, new Map())
      const look = async (): Promise<Progress> => {
        const script = "return #redis.call('KEYS', '{*}:session:*')"
        const said = await sendToRedis(redis.port, `EVAL "${script}" 0`)
        return { sessions: Number(/\d+/.exec(said)?.[0]), keys: 0, told: 0 }
      }
      const dataDir = await mkdtemp(path.join(folder, 'data-'))
      const half: When = ({ sessions }) => sessions < SESSIONS / 2
      const at = await killAt(envOf(dataDir, redis.url), look, half)
      expect(at.sessions, 'killed in the midst').to.be.above(0)
      const { server, stop } = await startOn(dataDir, redis.url)
      try {
        expectAsWhole(await settled(server, store))
        await use(server)
      } finally {
        await stop()
      }
    } finally {
      await store.close()
      await redis.stop()
    }
  })
})
