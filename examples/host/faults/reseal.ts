import { randomBytes } from 'node:crypto'
import http from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { hasRedisServer, startRedisServer } from '@svc/store/testing'
import { type HostProcess, runFaultyHost, spawnHost } from '../test/support/host-process.ts'
import {
  brokenAccounts,
  logIn,
  makeOwners,
  refresh,
  type SealedOwner,
} from './reseal/resealed-owners.ts'
import { type Program, runProgram } from './support/program.ts'

// Everything in the store is sealed with another key under load, by a server that is killed twice meanwhile; two
// processes on one Redis, or one on SQLite.
//   node --conditions=source examples/host/faults/reseal.ts [--instances 10000] [--store redis|sqlite] [--rate 50]
//     [--seed n]
// Passes when no request failed but those at a process that was killed, and everything that was sealed works afterwards.
// With Redis each kill takes 30 s: the dead process' lease has to end.

const ADMIN_TOKEN = randomBytes(24).toString('hex')
/** Of many instances not every one logs in again: a login costs a hash. */
const SAMPLE = 200
const POLL_MS = 200
/** What a reseal may take from one look that finds more to the next, with the lease of a dead process. */
const WAIT_MS = 120_000

async function reseal(program: Program): Promise<boolean> {
  const { say, option, atEnd, random } = program
  const isRedis = option('store') === 'redis'
  if (isRedis && !hasRedisServer()) {
    say('skipped', { reason: 'redis-server is not installed' })
    return true
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-reseal-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  const redis = isRedis ? await startRedisServer() : undefined
  if (redis !== undefined) atEnd(() => redis.stop())
  const [k1, k2] = ['k1', 'k2'].map((kid) => `${kid}:${randomBytes(32).toString('base64')}`)
  const env = (keys: string): Record<string, string> => ({
    SVC_ADMIN_TOKEN: ADMIN_TOKEN,
    SVC_DATA_DIR: folder,
    SVC_DEMO: 'off',
    SVC_KEYS: keys,
    SVC_LIMITS_REQUESTS_PER_MINUTE: '1000000',
    SVC_LIMITS_TOKEN: '1000000',
    ...(redis !== undefined && { SVC_STORE: redis.url }),
  })
  const old = env(`${k1}`)
  const [behind, front, only] = [env(`${k1},${k2}`), env(`${k2},${k1}`), env(`${k2}`)]

  const owners = await makeOwners(old, Number(option('instances')))
  say('made', { instances: owners.length })
  const refusals: boolean[] = []
  for (const NODE_ENV of ['development', 'production']) {
    const { code, stderr } = await runFaultyHost({ ...only, NODE_ENV })
    refusals.push(code === 78 && stderr.includes('sealed with the key "k1"'))
  }
  say('refused', { without: 'k1', development: refusals[0], production: refusals[1] })
  const fleet = new Fleet(isRedis ? 2 : 1)
  atEnd(() => fleet.stop())
  await fleet.restartAll(old)
  const load = startLoad(fleet, owners, Number(option('rate')), random)
  atEnd(() => load.stop())
  await fleet.restartAll(behind)
  await fleet.restartAll(front)

  // So slow that it is not done before it was killed twice.
  const pace = Math.max(10, Math.min(200, Math.ceil(owners.length / 2)))
  let sealed = 0
  for (let kills = 1; kills <= 2; kills += 1) {
    await fleet.reseal(pace)
    sealed = await fleet.sealedMoreThan(sealed)
    const killed = await fleet.killResealing(front)
    say('killed', { process: killed, sealed })
  }
  const done = await fleet.untilResealed()
  say('resealed', { others: done['others'], damaged: done['damaged'] })
  await fleet.restartAll(only)
  await load.stop()

  const sample =
    owners.length <= SAMPLE ? owners : owners.filter(() => random() < SAMPLE / owners.length)
  const agent = new http.Agent({ keepAlive: true })
  const broken: string[] = []
  for (const [at, owner] of sample.entries()) {
    const { port } = fleet.at(at)
    const status = await refresh(port, agent, owner)
    if (status !== 200) broken.push(`${owner.domain}: refresh: ${status}`)
    const fault = await logIn(port, owner)
    if (fault !== undefined) broken.push(`${owner.domain}: ${fault}`)
  }
  agent.destroy()
  await fleet.stop()
  broken.push(...(await brokenAccounts(only, owners)).map((domain) => `${domain}: account`))
  for (const each of broken.slice(0, 20)) say('broken', { what: each })
  for (const each of load.failures.slice(0, 20)) say('request.failed', { what: each })
  say('checked', {
    requests: load.requests,
    failed: load.failures.length,
    atKilled: load.atKilled,
    sample: sample.length,
    accounts: owners.length,
    broken: broken.length,
  })
  return load.failures.length === 0 && broken.length === 0 && refusals.every(Boolean)
}

/** Processes on one store, which start again with other keys. */
class Fleet {
  readonly #hosts: (HostProcess | undefined)[]
  /** Ports of processes that were killed. */
  readonly killed = new Set<number>()

  constructor(count: number) {
    this.#hosts = Array.from({ length: count }, () => undefined)
  }

  /** Those that answer; none while the only one starts. */
  live(): readonly HostProcess[] {
    return this.#hosts.filter((host) => host !== undefined)
  }

  any(): HostProcess {
    return this.at(0)
  }

  at(turn: number): HostProcess {
    const live = this.live()
    const host = live[turn % live.length]
    if (host === undefined) throw new Error('no process runs')
    return host
  }

  /** One after the other, as an operator does. */
  async restartAll(env: Readonly<Record<string, string>>): Promise<void> {
    for (const at of this.#hosts.keys()) await this.#restart(at, env, 'SIGTERM')
  }

  /** Kills the process that reseals, and starts it again. @returns which one it was, from 1 */
  async killResealing(env: Readonly<Record<string, string>>): Promise<number> {
    const begun = this.#hosts.map((host) => beganAt(host))
    const at = begun.indexOf(Math.max(...begun))
    const port = this.#hosts[at]?.port
    if (port !== undefined) this.killed.add(port)
    await this.#restart(at, env, 'SIGKILL')
    return at + 1
  }

  /** Begins, or finds begun. @param rate - records a second */
  async reseal(rate: number): Promise<void> {
    const { code, stderr } = await this.any().svc('keys', 'reseal', '--no-wait', `--rate=${rate}`)
    if (code !== 0) throw new Error(`svc keys reseal: ${stderr}`)
  }

  /** Waits until the reseal went on. @returns how many values are sealed */
  async sealedMoreThan(count: number): Promise<number> {
    const work = await this.#poll((each) => Number(each['sealed']) > count)
    return Number(work['sealed'])
  }

  untilResealed(): Promise<Readonly<Record<string, unknown>>> {
    return this.#poll(({ status }) => status === 'done')
  }

  async #poll(
    isThere: (work: Readonly<Record<string, unknown>>) => boolean,
  ): Promise<Readonly<Record<string, unknown>>> {
    let deadline = performance.now() + WAIT_MS
    let last = ''
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${this.any().adminPort}/keys/reseal`, {
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`GET /keys/reseal: ${answer.status} ${text}`)
      const work = JSON.parse(text) as Readonly<Record<string, unknown>> // as the route answers
      if (isThere(work)) return work
      if (text !== last) deadline = performance.now() + WAIT_MS
      last = text
      if (performance.now() > deadline) throw new Error(`the reseal stands: ${text}`)
      await pause(POLL_MS)
    }
  }

  async #restart(
    at: number,
    env: Readonly<Record<string, string>>,
    signal: NodeJS.Signals,
  ): Promise<void> {
    const host = this.#hosts[at]
    this.#hosts[at] = undefined
    await host?.stop(signal)
    const { SVC_DATA_DIR: dataDir = '' } = env
    this.#hosts[at] = await spawnHost({ env, dataDir })
  }

  async stop(): Promise<void> {
    const hosts = this.#hosts.splice(0)
    await Promise.all(hosts.map(async (host) => host?.stop()))
  }
}

/** When it began, or went on with, the work; 0 when it never did. */
function beganAt(host: HostProcess | undefined): number {
  const line = host?.log.findLast(({ event }) => event === 'work.started')
  return line === undefined ? 0 : Date.parse(String(line['time'])) || Number(line['time'])
}

interface Load {
  readonly requests: number
  readonly atKilled: number
  readonly failures: readonly string[]
  stop(): Promise<void>
}

/** Refreshes, so many a second, at whatever process answers; another one is asked in place of one that stops, as a proxy does. */
function startLoad(
  fleet: Fleet,
  owners: readonly SealedOwner[],
  perSecond: number,
  random: () => number,
): Load {
  // A connection that is kept may be ended by a process that stops, in the moment when it is used again.
  const agent = new http.Agent({ keepAlive: false })
  const failures: string[] = []
  const open = new Set<Promise<void>>()
  let requests = 0
  let atKilled = 0
  let isOver = false

  async function send(port: number, owner: SealedOwner): Promise<void> {
    requests += 1
    const result = await refresh(port, agent, owner)
    if (result === 200) return
    if (fleet.killed.has(port)) {
      atKilled += 1
      return
    }
    const other = fleet.live().find((host) => host.port !== port)
    const isStopping = !fleet.live().some((host) => host.port === port)
    if (typeof result === 'string' && isStopping && other !== undefined)
      await send(other.port, owner)
    else failures.push(`${owner.domain}: ${result}`)
  }
  async function run(): Promise<void> {
    for (let at = 0; !isOver; at += 1) {
      const host = fleet.live()[at % Math.max(1, fleet.live().length)]
      const owner = owners[Math.floor(random() * owners.length)]
      if (host !== undefined && owner !== undefined) {
        const job = send(host.port, owner)
        open.add(job)
        void job.finally(() => open.delete(job))
      }
      await pause(1000 / perSecond)
    }
    await Promise.all(open)
    agent.destroy()
  }
  const running = run()
  return {
    get requests() {
      return requests
    },
    get atKilled() {
      return atKilled
    },
    failures,
    stop() {
      isOver = true
      return running
    },
  }
}

// Behind the classes that it needs.
await runProgram('reseal', { instances: '10000', store: 'redis', rate: '50' }, reseal)
