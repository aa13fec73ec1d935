import { setTimeout as pause } from 'node:timers/promises'
import { hasRedisServer, startRedisServer } from '@svc/store/testing'
import { checkOut } from './rolling/older-version.ts'
import { type RestartStep, restartAll } from './rolling/restart-steps.ts'
import { keepSessions } from './rolling/sessions.ts'
import { startFleet } from './support/host-fleet.ts'
import { type Program, runProgram } from './support/program.ts'
import { hasProxy, type ProxyKind, startProxy } from './support/proxy.ts'
import { watchSockets } from './support/socket-watch.ts'
import { DOMAIN } from './support/owner.ts'
import { connectClients, startLoad } from './support/steady-load.ts'

// Two processes on one Redis behind a real proxy, started again one after the other by `deploy/rolling-restart`, under
// load, with websockets open, and signing keys rotated meanwhile.
//   node --conditions=source examples/host/faults/rolling.ts [--restarts 100] [--proxies nginx,caddy] [--rate 50]
//     [--drain 5] [--seed n]
// With `--upgrade-from <git revision>` both processes are of that revision first. Each is replaced by the present version,
// one is taken back and replaced again, and `--mixed` seconds pass between two of these steps.
// Passes when no request and no verification failed, no session was lost, and every websocket was back within 10 s.

const SESSIONS = 10
const CLIENTS = 10
const BACK_MS = 10_000
/** Between two rotations of the signing key. */
const ROTATE_MS = 3000

await runProgram(
  'rolling',
  {
    restarts: '100',
    proxies: 'nginx,caddy',
    rate: '50',
    drain: '5',
    'upgrade-from': '',
    mixed: '30',
  },
  async (program) => {
    if (!hasRedisServer()) {
      program.say('skipped', { reason: 'redis-server is not installed' })
      return true
    }
    const revision = program.option('upgrade-from')
    const older = revision === '' ? undefined : await checkOut(revision, program)
    let hasPassed = true
    for (const kind of program.option('proxies').split(',')) {
      if (kind !== 'nginx' && kind !== 'caddy') throw new TypeError(`no proxy is called ${kind}`)
      if (hasProxy(kind)) hasPassed = (await roll(program, kind, older)) && hasPassed
      else program.say('skipped', { proxy: kind, reason: 'it is not installed' })
    }
    return hasPassed
  },
)

/** @param older - folder of the host of another version, which is replaced by this one */
async function roll(
  program: Program,
  kind: ProxyKind,
  older: string | undefined,
): Promise<boolean> {
  const { say, option, random, atEnd } = program
  const drainS = Number(option('drain'))
  // Redis itself lives on: what it writes to a busy disk would only make everybody wait for the disk.
  const redis = await startRedisServer({ args: ['--appendfsync', 'no'] })
  atEnd(() => redis.stop())
  const exits: (number | null)[] = []
  const folders = [older, older]
  const fleet = await startFleet(
    2,
    {
      SVC_STORE: redis.url,
      SVC_DRAIN: `${drainS}s`,
      SVC_LIMITS_REALTIME_PENDING_CONNECTIONS: '100',
    },
    (code) => void exits.push(code),
    (at) => folders[at],
  )
  atEnd(() => fleet.stop())
  // A proxy forgets a connection well before the process closes it, also where both are late.
  const proxy = await startProxy(kind, { upstreams: fleet.ports, keepS: Math.max(1, drainS - 3) })
  atEnd(() => proxy.stop())
  const clients = await connectClients(fleet, proxy.port, CLIENTS)
  const sockets = await watchSockets(proxy.port, clients)
  const sessions = await keepSessions(fleet, proxy.port, SESSIONS)
  const load = startLoad(proxy.port, clients, Number(option('rate')), random)

  const over = new AbortController()
  let rotations = 0
  async function rotate(): Promise<void> {
    while (!over.signal.aborted) {
      const { code, stderr } = await fleet.running().svc('keys', 'rotate', DOMAIN)
      if (code === 0) rotations += 1
      // The process that it asked may have ended meanwhile.
      else say('rotation.failed', { code, stderr: stderr.slice(0, 200) })
      await pause(ROTATE_MS, undefined, { signal: over.signal }).catch(() => {})
    }
  }
  const rotating = rotate()
  const steps =
    older === undefined
      ? Array.from({ length: Number(option('restarts')) }, (_, done) => ({ at: done % 2 }))
      : upgradeSteps(older, folders, 1000 * Number(option('mixed')))
  const code = await restartAll(steps, fleet, say)
  over.abort()
  await rotating
  await load.stop()
  const back = await everyoneBack(sockets.awayMs, sockets.codes)
  const open = await sockets.stop()
  const lostSessions = await sessions.lost()
  for (const failure of load.failures.slice(0, 20)) say('request.failed', { ...failure })
  for (const said of fleet.failedStarts) say('restart.failed', { said })
  if (load.failures.length > 0) say('proxy.complained', { lines: await proxy.complaints() })
  const failedVerifications = load.failures.filter(({ result }) => result === 401).length
  const longestAwayMs = Math.round(Math.max(0, ...sockets.awayMs))
  const hasPassed =
    code === 0 &&
    load.failures.length === 0 &&
    rotations > 0 &&
    back &&
    open === CLIENTS &&
    longestAwayMs <= BACK_MS &&
    lostSessions === 0 &&
    exits.length === steps.length &&
    exits.every((each) => each === 0)
  say('rolled', {
    proxy: kind,
    restarts: exits.length,
    exits: [...new Set(exits)],
    rotations,
    requests: load.requests,
    failed: load.failures.length,
    results: countsOf(load.failures.map(({ result }) => String(result))),
    verifications: load.verifications,
    failedVerifications,
    sessions: SESSIONS,
    lostSessions,
    websockets: CLIENTS,
    returns: sockets.awayMs.length,
    longestAwayMs,
    codes: sockets.codes,
    hasPassed,
  })
  return hasPassed
}

function countsOf(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** Every websocket that was closed came back, or does so now. */
async function everyoneBack(
  awayMs: readonly number[],
  codes: Readonly<Record<string, number>>,
): Promise<boolean> {
  const deadline = performance.now() + BACK_MS
  for (;;) {
    const closed = Object.values(codes).reduce((sum, count) => sum + count, 0)
    if (awayMs.length === closed) return true
    if (performance.now() > deadline) return false
    await pause(100)
  }
}

/** Both are replaced by the present version; on the way one goes back to the older one. */
function upgradeSteps(
  older: string,
  folders: (string | undefined)[],
  restMs: number,
): readonly RestartStep[] {
  const step = (at: number, folder: string | undefined): RestartStep => ({
    at,
    prepare: () => {
      folders[at] = folder
    },
    restMs,
  })
  return [step(0, undefined), step(1, undefined), step(0, older), step(0, undefined)]
}
