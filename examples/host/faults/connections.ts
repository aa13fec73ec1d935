import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { type HostileClient, openHostile } from '../test/support/hostile-client.ts'
import { type KillableHost, startKillableHost } from './support/killable-host.ts'
import { type Program, runProgram } from './support/program.ts'

// Clients that are up to no good and never leave, and others beside them.
//   node --conditions=source examples/host/faults/connections.ts [--count 300] [--seconds 60] [--seed n]
// `--count` sockets of each kind, a flood of a third of them, and forty times as many silent ones of one address. Passes
// when no descriptor is left after `--seconds`, others were served meanwhile, and everybody who was refused in the middle
// of a body was told why. Times on a machine that has other work say nothing.

const DOMAIN = 'alice.localhost'
const HOST = `Host: ${DOMAIN}\r\n`
const FORM = 'Content-Type: application/x-www-form-urlencoded\r\n'
const PAGE = `GET /auth/login HTTP/1.1\r\n${HOST}\r\n`
const KINDS: Readonly<Record<string, string>> = {
  silent: '',
  'half a header': `GET / HTTP/1.1\r\n${HOST}`,
  'half a body': `POST /auth/login HTTP/1.1\r\n${HOST}${FORM}Content-Length: 10\r\n\r\nhalf`,
  idle: `GET /health/live HTTP/1.1\r\n${HOST}\r\n`,
  malformed: 'hello\r\n\r\n',
  'unread answers': PAGE.repeat(16),
}
const FLOOD = PAGE.repeat(200)
const ADDRESSES = 20
const LIVE_MS = 200
const PAGE_MS = 500
const VISITS = 50
const REFUSALS = 100

await runProgram('connections', { count: '300', seconds: '60' }, async (program) => {
  const count = Number(program.option('count'))
  const host = await startKillableHost('sqlite', {
    SVC_DEMO: 'on',
    SVC_DEMO_DOMAIN: DOMAIN,
    SVC_LIMITS_CONNECTIONS_PER_ADDRESS: '256',
  })
  program.atEnd(() => host.stop())
  const hostile: HostileClient[] = []
  program.atEnd(() => hostile.forEach(({ socket }) => void socket.destroy()))
  const results = [await refuse(program, host)]
  // What the first visits load and open is not theirs.
  for (let at = 0; at < VISITS; at += 1) await visit(host.port, '/auth/login')
  await pause(6000)
  const before = descriptors(host)
  const startedAt = performance.now()
  for (const text of Object.values(KINDS)) hostile.push(...(await attack(host, text, count)))
  hostile.push(...(await attack(host, FLOOD, Math.ceil(count / 3))))
  results.push(await serve(program, host, 'a flood'))
  hostile.push(...(await attack(host, '', count * 40, 1)))
  results.push(await serve(program, host, 'one address'))
  const deadline = startedAt + Number(program.option('seconds')) * 1000
  while (descriptors(host) > before && performance.now() < deadline) await pause(500)
  const left = descriptors(host) - before
  const goneS = Math.round((performance.now() - startedAt) / 1000)
  program.say('gone', { sockets: hostile.length, left, goneS, errors: host.errors.length })
  return results.every(Boolean) && left <= 0 && host.errors.length === 0
})

function descriptors({ pid }: KillableHost): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

async function attack(
  { port }: KillableHost,
  text: string,
  count: number,
  addresses = ADDRESSES,
): Promise<readonly HostileClient[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const client = await openHostile(port, text, `127.0.0.${(at % addresses) + 1}`)
      client.socket.pause()
      return client
    }),
  )
}

/** Somebody from elsewhere, on a connection of its own. @returns the status, and how long it took */
async function visit(port: number, path: string): Promise<readonly [string, number]> {
  const startedAt = performance.now()
  const text = `GET ${path} HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`
  const { socket, said } = await openHostile(port, text, '127.0.0.200')
  if (!socket.readableEnded && !socket.closed) await once(socket, 'end').catch(() => {})
  socket.destroy()
  return [said().slice(9, 12), performance.now() - startedAt]
}

async function serve({ say }: Program, { port }: KillableHost, beside: string): Promise<boolean> {
  const live: number[] = []
  const page: number[] = []
  const refused: string[] = []
  for (let at = 0; at < VISITS; at += 1) {
    for (const [path, times] of [
      ['/health/live', live],
      ['/auth/login', page],
    ] as const) {
      const [status, tookMs] = await visit(port, path)
      times.push(tookMs)
      if (status !== '200') refused.push(status)
    }
  }
  const p99 = (times: readonly number[]): number =>
    Math.round(times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? 0)
  const load = loadavg()[0] ?? 0
  const isBusy = load > availableParallelism()
  if (isBusy) say('void', { load, reason: 'the machine has other work: times say nothing' })
  const isQuick = p99(live) <= LIVE_MS && p99(page) <= PAGE_MS
  say('served', { beside, live: p99(live), page: p99(page), refused: refused.length })
  return refused.length === 0 && (isBusy || isQuick)
}

/** Sends too much, and is told so though the body goes on. */
async function refuse({ say }: Program, { port }: KillableHost): Promise<boolean> {
  const head = `POST /auth/login HTTP/1.1\r\n${HOST}${FORM}Content-Length: 10000000\r\n\r\n`
  let told = 0
  for (let at = 0; at < REFUSALS; at += 1) {
    const { socket, said } = await openHostile(port, head + 'a'.repeat(65_536), '127.0.0.200')
    while (!said().includes('\r\n\r\n') && !socket.closed) {
      await Promise.race([once(socket, 'data'), once(socket, 'close'), once(socket, 'end')])
    }
    if (said().startsWith('HTTP/1.1 413')) told += 1
    socket.destroy()
  }
  say('refused', { tries: REFUSALS, told })
  return told === REFUSALS
}
