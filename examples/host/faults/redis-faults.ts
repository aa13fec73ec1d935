import {
  type BlackHole,
  hasRedisServer,
  type RedisServer,
  sendToRedis,
  startBlackHole,
  startRedisCluster,
  startRedisServer,
} from '@svc/store/testing'
import { moveAllSlots } from './redis/reshard.ts'
import { startWatched } from './redis/sentinels.ts'
import { meetAll, startTroubledHost, type Trouble } from './redis/trouble.ts'
import { type Program, runProgram } from './support/program.ts'

// What can go wrong with Redis, while the host runs: it is down, stands still, swallows bytes, loads its data set, is
// only read from, is out of memory, has forgotten the scripts, fails over by Sentinel, moves the slots of a Cluster.
//   node --conditions=source examples/host/faults/redis-faults.ts [--count 20] [--seed n] [--replay trouble]
// `--count` rounds of each, or of the one of `--replay`. Passes when writes are refused with 503 within 3 s and nobody
// gets in without the store, the host serves again within 5 s after the end, and it was never started again. While slots
// move nothing is refused.

/** How long Redis loads each key. Microseconds. */
const LOAD_DELAY_US = 50_000

await runProgram('redis-faults', { count: '20', replay: '' }, async (program) => {
  if (!hasRedisServer()) {
    program.say('skipped', { reason: 'redis-server is not installed' })
    return true
  }
  // Beside each other: most of them wait for clocks. Each comes to its end, before what it runs on is closed.
  const running = [single(program), watched(program), spread(program)]
  await Promise.allSettled(running)
  const parts = await Promise.all(running)
  const wasAny = parts.some((part) => part !== undefined)
  if (!wasAny) program.say('unknown', { trouble: program.option('replay') })
  const hasPassed = wasAny && parts.every((part) => part !== false)
  program.say('done', { hasPassed })
  return hasPassed
})

/** Undefined when none of the troubles is wanted. */
type Outcome = boolean | undefined

function wanted({ option }: Program, names: readonly string[]): readonly string[] {
  const replayed = option('replay')
  return replayed === '' ? names : names.filter((name) => name === replayed)
}

async function single(program: Program): Promise<Outcome> {
  const names = [
    'down',
    'slow',
    'swallowing',
    'loading',
    'read-only',
    'out of memory',
    'scripts flushed',
  ]
  const chosen = wanted(program, names)
  if (chosen.length === 0) return undefined
  const redis = await startRedisServer({ args: ['--enable-debug-command', 'yes'] })
  program.atEnd(() => redis.stop())
  const proxy = await startBlackHole(redis.port)
  program.atEnd(() => proxy.stop())
  const host = await startTroubledHost(program, `redis://127.0.0.1:${proxy.port}`)
  const troubles = troublesOf(redis, proxy).filter(({ name }) => chosen.includes(name))
  return meetAll(program, host, troubles)
}

function troublesOf(redis: RedisServer, proxy: BlackHole): readonly Trouble[] {
  const send = (command: string): Promise<string> => sendToRedis(redis.port, command)
  let loading: Promise<unknown> = Promise.resolve()
  return [
    { name: 'down', begin: () => redis.kill(), end: () => redis.restart() },
    { name: 'slow', begin: () => redis.pause(), end: () => redis.resume() },
    { name: 'swallowing', begin: () => proxy.swallow(), end: () => proxy.pass() },
    {
      name: 'loading',
      async begin() {
        await send(`CONFIG SET key-load-delay ${LOAD_DELAY_US}`)
        await send('CONFIG SET loading-process-events-interval-bytes 1024')
        loading = send('DEBUG RELOAD').catch(() => '')
        await untilLoading(redis)
      },
      async end() {
        await send('CONFIG SET key-load-delay 0')
        await loading
      },
    },
    {
      name: 'read-only',
      begin: () => send('REPLICAOF 127.0.0.1 1'),
      end: () => send('REPLICAOF NO ONE'),
    },
    {
      name: 'out of memory',
      begin: () => send('CONFIG SET maxmemory 1'),
      end: () => send('CONFIG SET maxmemory 0'),
    },
    { name: 'scripts flushed', begin: () => send('SCRIPT FLUSH'), end: () => {}, isBorne: true },
  ]
}

async function untilLoading({ port }: RedisServer): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const answer = await sendToRedis(port, 'GET {probe}:a:b')
    if (answer.startsWith('-LOADING')) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('Redis does not load its data set')
}

async function watched(program: Program): Promise<Outcome> {
  if (wanted(program, ['fail-over']).length === 0) return undefined
  const sentinels = await startWatched(program)
  const host = await startTroubledHost(program, sentinels.url)
  let failed: () => Promise<void> = async () => {}
  return meetAll(program, host, [
    {
      name: 'fail-over',
      async begin() {
        failed = await sentinels.killMaster()
      },
      end: () => failed(),
      mend: () => sentinels.mend(),
    },
  ])
}

async function spread(program: Program): Promise<Outcome> {
  if (wanted(program, ['reshard']).length === 0) return undefined
  const cluster = await startRedisCluster(2)
  program.atEnd(() => cluster.stop())
  const host = await startTroubledHost(program, cluster.urls.join(','))
  let [from, to] = cluster.servers
  let moving: Promise<unknown> = Promise.resolve()
  return meetAll(program, host, [
    {
      name: 'reshard',
      begin() {
        if (from === undefined || to === undefined) throw new Error('there are two nodes')
        moving = moveAllSlots(from, to)
        moving.catch(() => {})
      },
      // Nothing may be refused as long as that takes.
      borneUntil: () => moving,
      end() {
        ;[from, to] = [to, from]
      },
    },
  ])
}
