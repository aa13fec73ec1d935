import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { browserClient, relyingParty } from '@svc/testkit'
import { type Child, startChild } from './child.ts'
import { type Figure, median } from './figure.ts'
import type { LoadRequest, LoadResult } from './load.ts'
import type { McpServerHello } from './mcp-server.ts'
import { MAIN, measureStart, type Start } from './startup-bench.ts'

export interface McpBenchOptions {
  readonly rounds: number
  /** How long each load lasts. */
  readonly overMs: number
  readonly say: (line: string) => void
}

const DOMAIN = 'alice.example.com'
const KIND = 'io.svc.notes'
const DOCUMENTS = 100
/** Of one grant only eight calls run at a time. */
const GRANTS = 8
const CONNECTIONS = 32
const SLOW_RATE = 100
/** For one core of a machine that does nothing else. */
const TARGET = { perSecond: 1500, p99Ms: 25, startMs: 60, mib: 15 } as const

interface Round {
  readonly full: LoadResult
  /** Processor time of the server for a call under full load. */
  readonly cpuMsPerCall: number
  /** Share of one core that the server used then. */
  readonly cores: number
  readonly slow: LoadResult
}

/**
 * `tools/call` of `fetch` on the host with SQLite, each with its entry durable before the answer: as many as it takes,
 * and how long one lasts at a steady rate. Then what assistants add to the start and to the memory of the built host.
 */
export async function benchMcp(options: McpBenchOptions): Promise<readonly Figure[]> {
  return [...(await benchCalls(options)), ...(await benchStarts(options))]
}

async function benchCalls({ rounds, overMs, say }: McpBenchOptions): Promise<readonly Figure[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-bench-'))
  const server = await startChild('mcp-server.ts', [folder, DOMAIN, KIND, String(DOCUMENTS)])
  const client = await startChild('load.ts', [])
  try {
    const hello = server.hello as McpServerHello // What it says first.
    const messages: string[] = []
    for (let grant = 0; grant < GRANTS; grant += 1) {
      messages.push(toMessage(await connect(hello), grant))
    }
    const { port } = hello
    const load = (more: Pick<LoadRequest, 'rate'> = {}): Promise<LoadResult> =>
      runLoad(client, {
        port,
        messages,
        connections: CONNECTIONS,
        until: { ms: overMs },
        isFixed: true,
        includes: '"structuredContent"',
        ...more,
      })
    await load()
    const measured: Round[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const before = await server.ask<number>({ ask: 'cpu' })
      const full = await load()
      const cpuMs = (await server.ask<number>({ ask: 'cpu' })) - before
      const slow = await load({ rate: SLOW_RATE })
      const cpuMsPerCall = cpuMs / full.answered
      const cores = (cpuMsPerCall * full.requestsPerSecond) / 1000
      say(
        `mcp round ${round}: ${full.requestsPerSecond.toFixed(0)}/s (p50 ${full.p50Ms.toFixed(1)}, p99 ${full.p99Ms.toFixed(1)} ms), ` +
          `${cpuMsPerCall.toFixed(2)} ms of processor time a call, ${cores.toFixed(2)} cores; ` +
          `at ${SLOW_RATE}/s p50 ${slow.p50Ms.toFixed(1)}, p99 ${slow.p99Ms.toFixed(1)} ms`,
      )
      measured.push({ full, cpuMsPerCall, cores, slow })
    }
    return toFigures(measured)
  } finally {
    await client.stop()
    await server.stop()
    await rm(folder, { recursive: true })
  }
}

function toFigures(rounds: readonly Round[]): readonly Figure[] {
  const of = (value: (round: Round) => number): number => median(rounds.map(value))
  const perSecond = of(({ full }) => full.requestsPerSecond)
  const p99Ms = of(({ slow }) => slow.p99Ms)
  const cpuMs = of(({ cpuMsPerCall }) => cpuMsPerCall)
  return [
    {
      name: `documents fetched by assistants, ${CONNECTIONS} at a time`,
      value: `${perSecond.toFixed(0)}/s`,
      reference: `${cpuMs.toFixed(2)} ms of processor time a call`,
      target: `≥ ${TARGET.perSecond}/s`,
      isMet: perSecond >= TARGET.perSecond,
    },
    {
      name: `documents fetched by assistants, ${SLOW_RATE} a second`,
      value: `p99 ${p99Ms.toFixed(1)} ms (p50 ${of(({ slow }) => slow.p50Ms).toFixed(1)})`,
      target: `p99 ≤ ${TARGET.p99Ms} ms`,
      isMet: p99Ms <= TARGET.p99Ms,
    },
  ]
}

async function runLoad(client: Child, request: LoadRequest): Promise<LoadResult> {
  const result = await client.ask<LoadResult>(request)
  if (result.failed > 0) throw new Error(`${result.failed} failed: ${result.firstFailure ?? ''}`)
  return result
}

/** A client of its own, allowed by the owner on the page. @returns its access token */
async function connect({ origin, port, cookie }: McpServerHello): Promise<string> {
  const party = relyingParty({ issuer: origin, port })
  await party.register()
  const parameters = { resource: `${origin}/mcp` }
  const pending = await party.authorize({ scope: `${KIND}:GET`, parameters })
  const owner = browserClient({ base: origin, port })
  owner.plantCookie(`${cookie}; Path=/; Domain=${DOMAIN}; Secure`, origin)
  const page = await owner.get(pending.url)
  const { location } = await owner.submit(page.page().form('/auth/authorize'))
  return (await party.exchange(location ?? '', pending)).access_token
}

/** One call as the newer revision of the protocol has it. */
function toMessage(token: string, grant: number): string {
  const params = {
    name: 'fetch',
    arguments: { id: `${KIND}/n${grant}` },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  return [
    'POST /mcp HTTP/1.1',
    `Host: ${DOMAIN}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    'MCP-Protocol-Version: 2026-07-28',
    'Mcp-Method: tools/call',
    'Mcp-Name: fetch',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
}

/** In turns, so that both see the same machine. */
async function benchStarts({ rounds, say }: McpBenchOptions): Promise<readonly Figure[]> {
  if (!existsSync(MAIN)) throw new Error('built code is measured: run `pnpm build` first')
  const grown: Start[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const off = await measureStart('sqlite', { env: { SVC_ASSISTANTS: 'off' } })
    const on = await measureStart('sqlite', { env: { SVC_ASSISTANTS: 'on' } })
    say(
      `start without assistants: ${off.readyMs.toFixed(0)} ms, ${off.idleMib.toFixed(1)} MiB; ` +
        `with: ${on.readyMs.toFixed(0)} ms, ${on.idleMib.toFixed(1)} MiB`,
    )
    grown.push({ readyMs: on.readyMs - off.readyMs, idleMib: on.idleMib - off.idleMib })
  }
  const ms = median(grown.map(({ readyMs }) => readyMs))
  const mib = median(grown.map(({ idleMib }) => idleMib))
  return [
    {
      name: 'start with assistants, longer by',
      value: `${ms.toFixed(0)} ms`,
      target: `≤ ${TARGET.startMs} ms`,
      isMet: ms <= TARGET.startMs,
    },
    {
      name: 'memory with assistants, idle, more by',
      value: `${mib.toFixed(1)} MiB`,
      target: `≤ ${TARGET.mib} MiB`,
      isMet: mib <= TARGET.mib,
    },
  ]
}
