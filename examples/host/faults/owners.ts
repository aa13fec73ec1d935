import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { ImportedOwners } from '@svc/auth-ui'
import { hasRedisServer, startRedisServer } from '@svc/store/testing'
import { type HostProcess, spawnHost } from '../test/support/host-process.ts'
import { type Program, runProgram } from './support/program.ts'

// Owners are imported by the command; the server is killed while it writes, and the import is repeated.
//   node --conditions=source examples/host/faults/owners.ts [--owners 10000] [--kills 2] [--store sqlite,redis] [--seed n]
// Passes when every owner is there once, repeats answer the same, and what was not killed took at most 60 s.

const LIMIT_S = 60
const SVC_KEYS = `k1:${randomBytes(32).toString('base64')}`
/** bcrypt of cost 10, as a former server had it: nothing computes it here. */
const HASH = '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy'

await runProgram(
  'owners',
  { owners: '10000', kills: '2', store: 'sqlite,redis' },
  async (program) => {
    for (const store of program.option('store').split(',')) {
      if (store === 'redis' && !hasRedisServer()) {
        program.say('skipped', { store, reason: 'redis-server is not installed' })
        continue
      }
      if (!(await importInto(program, store))) return false
    }
    return true
  },
)

async function importInto(program: Program, store: string): Promise<boolean> {
  const dir = await mkdtemp(path.join(tmpdir(), 'svc-owners-'))
  program.atEnd(() => rm(dir, { recursive: true, force: true }))
  const count = Number(program.option('owners'))
  const file = path.join(dir, 'owners.jsonl')
  await writeFile(file, Array.from({ length: count }, (_, n) => lineOf(n)).join('\n'))
  const kills = Number(program.option('kills'))
  const whole = await once(program, { store, file, kills: 0 })
  const cut = await once(program, { store, file, kills })
  // Kills before the first owner, or after the last, show nothing.
  if (kills > 0 && (cut.created === 0 || cut.created === count)) {
    throw new Error('the kills did not meet the writing')
  }
  const isRight = [whole, cut].every(
    ({ seconds, owners, again }) =>
      owners === count && again.created === 0 && again.unchanged === count && seconds <= LIMIT_S,
  )
  program.say('owners.imported', { store, whole: whole.seconds, lastOfKilled: cut.seconds })
  return isRight
}

interface Run {
  readonly store: string
  readonly file: string
  readonly kills: number
}

interface Outcome {
  /** Of the import that was not killed. */
  readonly seconds: number
  /** Owners that it made. */
  readonly created: number
  /** Instances that are there at the end. */
  readonly owners: number
  readonly again: ImportedOwners
}

/** One store from empty: killed imports, one that is not, and a repeat. */
async function once(program: Program, { store, file, kills }: Run): Promise<Outcome> {
  const dataDir = await mkdtemp(path.join(path.dirname(file), 'data-'))
  const redis = store === 'redis' ? await startRedisServer() : undefined
  if (redis !== undefined) program.atEnd(() => redis.stop())
  const env = { SVC_DEMO: 'off', ...(redis !== undefined && { SVC_STORE: redis.url, SVC_KEYS }) }
  const start = (): Promise<HostProcess> => spawnHost({ dataDir, env })
  let before = 0
  for (let kill = 1; kill <= kills; kill += 1) {
    const host = await start()
    const importing = host.svc('owner', 'import', file).catch(() => undefined)
    before = await grown(host, before)
    await pause(program.random() * 2000)
    await host.stop('SIGKILL')
    await importing
    program.say('host.killed', { store, kill })
  }
  const host = await start()
  try {
    const from = performance.now()
    const first = await importOf(host, file)
    const seconds = Math.round((performance.now() - from) / 100) / 10
    program.say('import.ended', { store, kills, seconds, created: first.created })
    const again = await importOf(host, file)
    const links = ({ owners }: ImportedOwners): string =>
      JSON.stringify(owners.map(({ onboardingUrl }) => onboardingUrl))
    if (links(first) !== links(again)) throw new Error('the repeat answers other links')
    const domains = await domainsOf(host)
    const owners = new Set(domains).size
    if (owners !== domains.length) throw new Error('an owner is there twice')
    return { seconds, created: first.created, owners, again }
  } finally {
    await host.stop()
  }
}

/** Waits until the import writes: there are more owners than before. @returns how many */
async function grown(host: HostProcess, before: number): Promise<number> {
  for (;;) {
    const { length } = await domainsOf(host)
    if (length > before) return length
  }
}

async function domainsOf(host: HostProcess): Promise<readonly string[]> {
  const { stdout } = await host.svc('instance', 'list', '--json')
  const { instances } = JSON.parse(stdout) as { instances: { domain: string }[] } // as the command prints
  return instances.map(({ domain }) => domain)
}

async function importOf(host: HostProcess, file: string): Promise<ImportedOwners> {
  const { code, stdout, stderr } = await host.svc('owner', 'import', file, '--json')
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as ImportedOwners // as the command prints
}

function lineOf(n: number): string {
  return JSON.stringify({
    externalId: `user:${n}`,
    domain: `owner-${n}.example.com`,
    email: `owner-${n}@mail.example`,
    publicName: `Owner ${n}`,
    ...(n % 10 !== 0 && { passphrase: { over: 'passphrase', hash: HASH } }),
    ...(n % 10 === 1 && { totp: { secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' } }),
  })
}
