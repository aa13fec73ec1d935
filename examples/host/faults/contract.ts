import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { exitCodeOf, PROFILES, type Report, run } from '@svc/contract'
import type { DumpedRecord } from '@svc/store'
import { sqliteStore } from '@svc/store/sqlite'
import { until } from '@svc/testkit'
import {
  CONTRACT_ADMIN_TOKEN,
  CONTRACT_MAILBOX,
  CONTRACT_PASSPHRASE,
  contractOperator,
  createContractOwner,
  journalIn,
  spawnContract,
} from '../test/support/contract-run.ts'
import { type HostProcess, spawnHost } from '../test/support/host-process.ts'
import { type Program, runProgram } from './support/program.ts'

// The contract against the host: with other orders, and killed in the middle.
//   node --conditions=source examples/host/faults/contract.ts [--seeds 20] [--driver chromium] [--kills 50] [--seed n]
// Passes when each seed gives the same verdicts and leaves the store as it was, but for counters and logs; and when
// after each kill `clean` leaves nothing, and the owner logs in at the first try.

/**
 * Kinds of records that say how often, when and from where something was: what the server counts and logs, never what
 * there is.
 */
const LOGGED =
  /\}:(?:activity[a-z-]*|known-device|login-place|notification-turn|sealing-key|session-login)(?::|$)/
/** With a browser the owner logs in from two: a host in development keeps the mail about the second one. */
const TOLD = /\}:dev-mail:/
/** Answers, codes and flows that were not used: the server forgets them. */
const FORGOTTEN_WITHIN_MS = 24 * 3_600_000
/** A safe run takes about that long on a quiet machine; kills meet it anywhere. */
const KILLED_WITHIN_MS = 9000

await runProgram('contract', { seeds: '20', kills: '50', driver: 'http' }, async (program) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-contract-'))
  program.atEnd(() => rm(folder, { recursive: true, force: true }))
  await writeFile(path.join(folder, 'passphrase'), CONTRACT_PASSPHRASE)
  const isSteady = await inOtherOrders(program, folder)
  return (await killed(program, folder)) && isSteady
})

async function inOtherOrders(program: Program, folder: string): Promise<boolean> {
  const dataDir = path.join(folder, 'orders')
  let first: readonly string[] | undefined
  let hasPassed = true
  for (let count = 1; count <= Number(program.option('seeds')); count += 1) {
    const domain = `order${count}.localhost`
    await withHost(dataDir, (host) => createContractOwner(host, domain))
    const before = await contentOf(dataDir)
    const seed = Math.floor(program.random() * 0x100_0000)
    const report = await withHost(dataDir, async (host) => {
      const answer = await ask(host, domain, { seed, driver: program.option('driver') })
      // What a client posted goes a moment after the client; the wait ends in the difference when it stays.
      await until(() => hasNoNotifications(host, domain), { limitMs: 15_000 }).catch(() => {})
      return answer
    })
    const left = difference(before, await contentOf(dataDir)).filter(
      (key) => program.option('driver') === 'http' || !TOLD.test(key),
    )
    const verdicts = report.verdicts.map(({ id, outcome }) => `${id} ${outcome}`)
    first ??= verdicts
    const others = verdicts.filter((verdict, at) => verdict !== first?.[at])
    const isSame = others.length === 0 && exitCodeOf(report) === 0
    const { length: checks } = verdicts
    program.say('asked', { seed, checks, tookMs: report.ms, isSame, others, left })
    hasPassed &&= isSame && left.length === 0
  }
  return hasPassed
}

async function hasNoNotifications(host: HostProcess, domain: string): Promise<boolean> {
  const { code, stdout } = await host.svc('notification', 'list', domain, '--json')
  if (code !== 0) return false
  const { notifications } = JSON.parse(stdout) as { notifications: readonly unknown[] }
  return notifications.length === 0
}

async function killed(program: Program, folder: string): Promise<boolean> {
  let hasPassed = true
  await withHost(path.join(folder, 'kills'), async (host) => {
    for (let count = 1; count <= Number(program.option('kills')); count += 1) {
      const outcome = await kill(program, { host, folder, domain: `kill${count}.localhost` })
      program.say('killed', outcome)
      hasPassed &&= outcome.left.length === 0 && outcome.logsIn
    }
  })
  return hasPassed
}

async function kill(
  program: Program,
  { host, folder, domain }: { host: HostProcess; folder: string; domain: string },
): Promise<{ afterMs: number; made: number; left: readonly string[]; logsIn: boolean }> {
  await createContractOwner(host, domain)
  const passphrase = path.join(folder, 'passphrase')
  const child = spawnContract(host, folder, [
    `http://${domain}`,
    '--owner-passphrase-file',
    passphrase,
  ])
  const ended = once(child, 'exit')
  const afterMs = Math.round(program.random() * KILLED_WITHIN_MS)
  await Promise.race([pause(afterMs), ended])
  child.kill('SIGKILL')
  await ended
  const journal = journalIn(folder)
  const lines = journal === undefined ? '' : readFileSync(journal, 'utf8')
  const left: string[] = []
  if (journal !== undefined) {
    const [code] = (await once(spawnContract(host, folder, ['clean', journal]), 'exit')) as [number]
    if (code !== 0 || existsSync(journal)) left.push(`clean ended with ${code}`)
    await rm(journal, { force: true })
  }
  const clients = await host.svc('client', 'list', domain, '--json')
  left.push(...madeOf(lines).filter((name) => clients.stdout.includes(`"${name}"`)))
  const again = await ask(host, domain, { seed: 1, groups: ['MET'] })
  await host.svc('instance', 'remove', domain)
  return { afterMs, made: madeOf(lines).length, left, logsIn: exitCodeOf(again) === 0 }
}

/**
 * The names of clients that a journal knows to be made. One that was under way has no token yet, and the server forgets
 * it.
 */
function madeOf(journal: string): readonly string[] {
  const made = new Set([...journal.matchAll(/"made":"([^"]+)"/g)].map(([, id]) => id))
  return [...journal.matchAll(/"id":"([^"]+)","kind":"client","name":"([^"]+)"/g)].flatMap(
    ([, id, name = '']) => (made.has(id) ? [name] : []),
  )
}

/** Everything there is to ask, or some groups of what is safe. */
function ask(
  host: HostProcess,
  domain: string,
  {
    seed,
    driver = 'http',
    groups,
  }: {
    readonly seed: number
    readonly driver?: string
    readonly groups?: readonly string[]
  },
): Promise<Report> {
  const profile = PROFILES.find(({ name }) => name === 'svc')
  if (profile === undefined) throw new Error('there is no profile svc')
  return run({
    target: `http://${domain}`,
    passphrase: CONTRACT_PASSPHRASE,
    profile,
    seed,
    driver,
    connectTo: [{ host: '', port: '80', toHost: '127.0.0.1', toPort: String(host.port) }],
    ...(groups === undefined
      ? { operator: contractOperator(host), mailbox: CONTRACT_MAILBOX }
      : { selection: { groups } }),
  })
}

async function withHost<Result>(
  dataDir: string,
  use: (host: HostProcess) => Promise<Result>,
): Promise<Result> {
  const host = await spawnHost({ dataDir, env: { SVC_ADMIN_TOKEN: CONTRACT_ADMIN_TOKEN } })
  try {
    return await use(host)
  } finally {
    await host.stop()
  }
}

/** What is stored for good, by its key. Wake-ups of what is gone find nothing and are no part of it. */
async function contentOf(dataDir: string): Promise<ReadonlyMap<string, DumpedRecord>> {
  const store = sqliteStore({ file: path.join(dataDir, 'store.db') })
  const content = new Map<string, DumpedRecord>()
  const forgottenBy = Date.now() + FORGOTTEN_WITHIN_MS
  try {
    for await (const entry of store.dump()) {
      if (entry.type !== 'record' || LOGGED.test(entry.key)) continue
      if ((entry.expiresAt ?? Infinity) > forgottenBy) content.set(entry.key, entry)
    }
  } finally {
    await store.close()
  }
  return content
}

/** What came, went or changed. */
function difference(
  before: ReadonlyMap<string, DumpedRecord>,
  after: ReadonlyMap<string, DumpedRecord>,
): readonly string[] {
  const keys = new Set([...before.keys(), ...after.keys()])
  return [...keys].filter((key) => {
    const [one, other] = [before.get(key), after.get(key)]
    return !isDeepStrictEqual(one?.value, other?.value)
  })
}
