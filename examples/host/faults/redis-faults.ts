import { setTimeout as pause } from 'node:timers/promises'
import {
  type BlackHole,
  hasRedisServer,
  type RedisServer,
  sendToRedis,
  startBlackHole,
  startRedisServer,
} from '@svc/store/testing'
import { type BrowserClient, browserClient, scaledLimit } from '@svc/testkit'
import { type KillableHost, startKillableHost } from './support/killable-host.ts'
import { type Program, runProgram } from './support/program.ts'

// What can go wrong with Redis, while the host runs: it is down, stands still, swallows bytes, is only read from, is
// out of memory, has forgotten the scripts.
//   node --conditions=source examples/host/faults/redis-faults.ts [--count 20] [--seed n]
// `--count` rounds of each. Passes when writes are refused with 503 within 3 s and nobody gets in without the store, the
// host serves again within 5 s after the end, and it was never started again.

const DOMAIN = 'alice.example.com'
const REFUSED_MS = scaledLimit(3000)
const BACK_MS = scaledLimit(5000)

interface Trouble {
  readonly name: string
  begin(): unknown
  end(): unknown
  /** The host goes on as if nothing had happened. */
  readonly isBorne?: true
}

await runProgram('redis-faults', { count: '20' }, async (program) => {
  if (!hasRedisServer()) {
    program.say('skipped', { reason: 'redis-server is not installed' })
    return true
  }
  const redis = await startRedisServer()
  program.atEnd(() => redis.stop())
  const proxy = await startBlackHole(redis.port)
  program.atEnd(() => proxy.stop())
  const host = await startKillableHost('sqlite', { SVC_STORE: `redis://127.0.0.1:${proxy.port}` })
  program.atEnd(() => host.stop())
  const { pid } = host
  await host.admin('POST', '/instances', { domain: DOMAIN, email: 'owner@mail.example' })
  let hasPassed = true
  for (const trouble of troublesOf(redis, proxy)) {
    for (let round = 1; round <= Number(program.option('count')); round += 1) {
      hasPassed = (await meet(program, host, trouble, round)) && hasPassed
    }
  }
  const isSame = host.pid === pid && (await isRegistering(clientOf(host)))
  program.say('done', { restarts: isSame ? 0 : 1 })
  return hasPassed && isSame
})

function troublesOf(redis: RedisServer, proxy: BlackHole): readonly Trouble[] {
  const send = (command: string): Promise<string> => sendToRedis(redis.port, command)
  return [
    { name: 'down', begin: () => redis.kill(), end: () => redis.restart() },
    { name: 'slow', begin: () => redis.pause(), end: () => redis.resume() },
    { name: 'swallowing', begin: () => proxy.swallow(), end: () => proxy.pass() },
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

function clientOf({ port }: KillableHost): BrowserClient {
  return browserClient({ base: `https://${DOMAIN}`, port })
}

async function meet(
  { say }: Program,
  host: KillableHost,
  { name, begin, end, isBorne }: Trouble,
  round: number,
): Promise<boolean> {
  const client = clientOf(host)
  await begin()
  const startedAt = performance.now()
  const status = await register(client)
  const refusedMs = Math.round(performance.now() - startedAt)
  await end()
  const endedAt = performance.now()
  while (!(await isRegistering(client)) && performance.now() - endedAt < BACK_MS * 2) {
    await pause(50)
  }
  const backMs = Math.round(performance.now() - endedAt)
  const isRight = isBorne === true ? status === 201 : status === 503
  const hasPassed = isRight && refusedMs <= REFUSED_MS && backMs <= BACK_MS
  say('met', { trouble: name, round, status, refusedMs, backMs, hasPassed })
  return hasPassed
}

/** @returns the status of a registration, which writes; 0 when none comes */
async function register(client: BrowserClient): Promise<number> {
  try {
    const answer = await client.request('POST', '/auth/register', {
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({
        redirect_uris: ['https://client.example/callback'],
        client_name: 'A client',
        software_id: 'github.com/example/redis-faults',
      }),
    })
    return answer.status
  } catch {
    return 0
  }
}

async function isRegistering(client: BrowserClient): Promise<boolean> {
  return (await register(client)) === 201
}
