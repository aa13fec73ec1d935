import { mkdtemp, rm } from 'node:fs/promises'
import http from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Child, startChild } from './child.ts'
import type { HostileRequest } from './connections-load.ts'
import type { ConnectionsServerRequest, ServerState } from './connections-server.ts'
import { type Figure, quantile } from './figure.ts'

export interface ConnectionsBenchOptions {
  readonly say: (line: string) => void
}

const ATTACKED = 'a.localhost'
const OTHER = 'b.localhost'
const SILENT = 200
const FLOODS = 100
const FLOOD = `GET /auth/login HTTP/1.1\r\nHost: ${ATTACKED}\r\n\r\n`.repeat(200)
const ADDRESSES = 20
const PROBE_MS = 20
const VISITORS = 100
/** A flood is looked at for so long, and the time before it, to compare with. */
const LOOK_MS = 4000
/** A silent client has 15 s for its headers; 10 s later it is gone. */
const GONE_MS = 25_000
/** On a server without bounds nobody would ever go. */
const PATIENCE_MS = 120_000
const MIB = 1024 * 1024

/**
 * 200 silent sockets and 100 with 200 unread pipelined requests for a page each, from 20 addresses; meanwhile the health
 * route and another owner's page are asked, each time on a connection of its own. Then 200 silent ones of one address on
 * a host with 50 connections, and visitors from elsewhere.
 */
export async function benchConnections(
  options: ConnectionsBenchOptions,
): Promise<readonly Figure[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-bench-'))
  try {
    const flood = await benchFlood(path.join(folder, 'flood'), options)
    return [...flood, await benchLockOut(path.join(folder, 'lock-out'))]
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function benchFlood(
  folder: string,
  { say }: ConnectionsBenchOptions,
): Promise<readonly Figure[]> {
  const server = await startChild('connections-server.ts', [folder, '10000', ATTACKED, OTHER])
  const load = await startChild('connections-load.ts', [])
  const attack = (hostile: HostileRequest): Promise<unknown> => load.ask(hostile)
  try {
    const { port } = server.hello as { port: number } // What it says first.
    // What the first requests load and compile is not the flood's.
    await probing(port, () => pause(LOOK_MS))
    const before = await ask(server, 'garbage-collected state')
    const quiet = await probing(port, () => pause(LOOK_MS))
    const atStart = await ask(server, 'state')
    const startedAt = performance.now()
    const busy = await probing(port, async () => {
      await attack({ port, count: SILENT, addresses: ADDRESSES, text: '' })
      await attack({ port, count: FLOODS, addresses: ADDRESSES, text: FLOOD })
      await pause(LOOK_MS)
    })
    const atPeak = await ask(server, 'state')
    await untilGone(server, startedAt)
    const goneMs = performance.now() - startedAt
    const after = await ask(server, 'garbage-collected state')
    const quietMs = atStart.cpuMs - before.cpuMs
    const floodMs = atPeak.cpuMs - atStart.cpuMs - quietMs
    say(`processor time: ${quietMs.toFixed(0)} ms without the flood, ${floodMs.toFixed(0)} ms more`)
    const p99 = (times: readonly number[]): number => quantile(times, 0.99)
    return [
      figure('health during a flood, p99', p99(busy.health), 200, 'ms', p99(quiet.health)),
      figure("another owner's page, p99", p99(busy.page), 500, 'ms', p99(quiet.page)),
      figure('processor time of the flood', floodMs, 1000, 'ms'),
      figure('hostile sockets, all gone after', goneMs / 1000, GONE_MS / 1000, 's'),
      figure('resident memory more, in the flood', (atPeak.rss - atStart.rss) / MIB, 32, 'MiB'),
      figure('resident memory more, after it', (after.rss - before.rss) / MIB, 20, 'MiB'),
    ]
  } finally {
    await load.stop()
    await server.stop()
  }
}

async function benchLockOut(folder: string): Promise<Figure> {
  const server = await startChild('connections-server.ts', [folder, '50', ATTACKED])
  const load = await startChild('connections-load.ts', [])
  try {
    const { port } = server.hello as { port: number } // What it says first.
    await load.ask({ port, count: SILENT, addresses: 1, text: '' } satisfies HostileRequest)
    let served = 0
    for (let address = 2; address < VISITORS + 2; address += 1) {
      // Each by itself: half of the connections are theirs together.
      await visit(port, ATTACKED, '/auth/login', address).then(
        () => (served += 1),
        () => {},
      )
    }
    return {
      name: 'visitors served beside 200 silent sockets, 50 connections',
      value: `${served} of ${VISITORS}`,
      target: 'all',
      isMet: served === VISITORS,
    }
  } finally {
    await load.stop()
    await server.stop()
  }
}

function figure(name: string, value: number, limit: number, unit: string, quiet?: number): Figure {
  return {
    name,
    value: `${value.toFixed(1)} ${unit}`,
    ...(quiet !== undefined && { reference: `${quiet.toFixed(1)} ${unit} without` }),
    target: `≤ ${limit} ${unit}`,
    isMet: value <= limit,
  }
}

function ask(server: Child, question: ConnectionsServerRequest): Promise<ServerState> {
  return server.ask({ question })
}

async function untilGone(server: Child, startedAt: number): Promise<void> {
  while ((await ask(server, 'state')).sockets > 0) {
    if (performance.now() - startedAt > PATIENCE_MS) return
    await pause(200)
  }
}

interface Probes {
  readonly health: readonly number[]
  readonly page: readonly number[]
}

/** Asks at a steady rate, whether it was answered the last time or not. Milliseconds. */
async function probing(port: number, work: () => Promise<void>): Promise<Probes> {
  const health: Promise<number>[] = []
  const page: Promise<number>[] = []
  const timer = setInterval(() => {
    health.push(visit(port, OTHER, '/health/live', 200))
    page.push(visit(port, OTHER, '/auth/login', 201))
  }, PROBE_MS)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  return { health: await Promise.all(health), page: await Promise.all(page) }
}

/** @returns how long it took, milliseconds. @throws Error when it is not answered well */
function visit(port: number, host: string, target: string, address: number): Promise<number> {
  const sentAt = performance.now()
  return new Promise((resolve, reject) => {
    const request = http.get(
      {
        host: '127.0.0.1',
        port,
        path: target,
        localAddress: `127.0.0.${address}`,
        agent: false,
        headers: { host },
      },
      (response) => {
        response.resume().once('end', () => {
          if (response.statusCode === 200) resolve(performance.now() - sentAt)
          else reject(new Error(`${target} was answered ${response.statusCode}`))
        })
      },
    )
    request.once('error', reject)
  })
}
