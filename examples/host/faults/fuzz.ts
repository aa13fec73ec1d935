import { Agent, request } from 'node:http'
import { availableParallelism, loadavg } from 'node:os'
import { type Answer, type FuzzCase, faultsOf, makeCase } from './fuzz/cases.ts'
import { makePool } from './fuzz/pool.ts'
import { readRoutes } from './fuzz/routes.ts'
import { fuzzSocket, fuzzWebsocket } from './fuzz/sockets.ts'
import { type KillableHost, startKillableHost, type StoreKind } from './support/killable-host.ts'
import { type Program, randomOf, runProgram } from './support/program.ts'

// Requests made of good and bad parts, to every route, on raw sockets and on websockets.
//   node --conditions=source examples/host/faults/fuzz.ts [--count 100000] [--store sqlite] [--seed n] [--replay case]
// Case n of a seed is the same each time but for the tokens; `--replay n` sends that one and prints its answer.
// Passes when no answer was a 5xx but 503, none came after 5 s, none carried markup, a redirect or a header of the
// stranger's making, and the server is still the same process. Slow answers of a machine that is busy say nothing.

/** Requests at a time. */
const LANES = 16
const LIMIT_MS = 5000
const GIVE_UP_MS = 60_000
/** Of so many cases one is a raw socket, one a websocket. */
const SOCKET_EVERY = 40
const WEBSOCKET_EVERY = 80

interface Findings {
  faults: number
  slow: number
  readonly statuses: Record<string, number>
}

await runProgram('fuzz', { count: '100000', store: 'sqlite', replay: '' }, async (program) => {
  const kind = program.option('store')
  if (kind !== 'sqlite' && kind !== 'redis') throw new TypeError(`no store is called ${kind}`)
  return fuzz(program, kind)
})

async function fuzz(program: Program, kind: StoreKind): Promise<boolean> {
  const { say, seed, option } = program
  const host = await startKillableHost(kind)
  program.atEnd(() => host.stop())
  const pool = await makePool(host)
  const agent = new Agent({ keepAlive: true, maxSockets: LANES })
  program.atEnd(() => agent.destroy())
  const routes = readRoutes()
  const caseOf = (at: number): FuzzCase => makeCase(randomOf(seed + at), routes, pool)
  if (option('replay') !== '') {
    const sent = caseOf(Number(option('replay')))
    const answer = await send(agent, host.port, sent)
    say('case', { ...sent, answer })
    return 'status' in answer && faultsOf(sent, answer, LIMIT_MS).length === 0
  }

  const { pid } = host
  const count = Number(option('count'))
  const found: Findings = { faults: 0, slow: 0, statuses: {} }
  const loads: number[] = []
  const met = new Set<string>()
  let next = 0
  async function lane(): Promise<void> {
    while (next < count) {
      const at = next
      next += 1
      if (at % 500 === 0) loads.push(loadavg()[0] ?? 0)
      if (at % SOCKET_EVERY === 7 || at % WEBSOCKET_EVERY === 9) await trySocket(at)
      else await tryRequest(at)
    }
  }
  async function trySocket(at: number): Promise<void> {
    const random = randomOf(seed + at)
    const { sent, fault } =
      at % SOCKET_EVERY === 7
        ? await fuzzSocket(host.port, random)
        : await fuzzWebsocket(host.port, pool, random)
    if (fault === undefined) return
    found.faults += 1
    say('socket.fault', { case: at, sent, fault })
  }
  async function tryRequest(at: number): Promise<void> {
    const sent = caseOf(at)
    met.add(sent.route)
    const answer = await send(agent, host.port, sent)
    const name = 'status' in answer ? String(answer.status) : answer.error
    found.statuses[name] = (found.statuses[name] ?? 0) + 1
    const faults = 'status' in answer ? faultsOf(sent, answer, LIMIT_MS) : [answer.error]
    if (faults.length === 0) return
    const isSlow = faults.every((fault) => fault.startsWith('took '))
    if (isSlow) found.slow += 1
    // A path or a header that Node's own parser refuses ends the connection.
    else found.faults += 1
    say('request.fault', { case: at, faults, ...sent, body: sent.body.slice(0, 500) })
  }
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: LANES }, lane))
  return conclude(program, host, {
    pid,
    found,
    loads,
    met,
    routes: routes.length,
    startedAt,
    count,
  })
}

interface Run {
  readonly pid: number
  readonly found: Findings
  readonly loads: readonly number[]
  readonly met: ReadonlySet<string>
  readonly routes: number
  readonly startedAt: number
  readonly count: number
}

async function conclude({ say }: Program, host: KillableHost, run: Run): Promise<boolean> {
  const { found, loads } = run
  const isAlive = isRunning(run.pid) && (await host.metrics()).includes('svc_')
  const load = Math.max(...loads)
  const isBusy = load > availableParallelism()
  for (const error of host.errors.slice(0, 10)) say('host.error', { ...error })
  if (isBusy)
    say('void', { load, reason: 'the machine has other work: how long answers took says nothing' })
  const hasPassed =
    isAlive && found.faults === 0 && host.errors.length === 0 && (isBusy || found.slow === 0)
  say('fuzzed', {
    requests: run.count,
    seconds: Math.round((performance.now() - run.startedAt) / 1000),
    routes: run.routes,
    routesMet: run.met.size,
    statuses: found.statuses,
    faults: found.faults,
    slow: found.slow,
    isAlive,
    load,
    hasPassed,
  })
  return hasPassed
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function send(
  agent: Agent,
  port: number,
  sent: FuzzCase,
): Promise<Answer | { readonly error: string }> {
  return new Promise((resolve) => {
    const startedAt = performance.now()
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        agent,
        method: sent.method,
        path: sent.path,
        headers: {
          host: sent.host,
          ...sent.headers,
          ...(sent.body !== '' && { 'content-length': Buffer.byteLength(sent.body) }),
        },
        signal: AbortSignal.timeout(GIVE_UP_MS),
      },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        answer.once('error', (error) => resolve({ error: error.message }))
        answer.once('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            text,
            tookMs: performance.now() - startedAt,
          }),
        )
      },
    )
    outgoing.once('error', (error) => resolve({ error: error.message }))
    outgoing.end(sent.body)
  })
}
