import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Child, startChild } from './child.ts'
import type { Figure } from './figure.ts'
import type { Memory } from './instances-server.ts'
import { obtainToken, RESOURCE_PATH, send } from './servers/embedded.ts'

export interface InstancesBenchOptions {
  /** Instances that are touched before the first reading, and in the end. */
  readonly few: number
  readonly many: number
  readonly say: (line: string) => void
}

const MIB = 1024 * 1024
const TARGET_MIB = 16
const PARALLEL = 8

/**
 * How memory grows with the number of instances in use: some are touched as often as all of them together, then all
 * are touched once. A touch is the whole job of a client: metadata, registration, authorization, exchange, guarded
 * request.
 */
export async function benchInstances(options: InstancesBenchOptions): Promise<readonly Figure[]> {
  const { few, many, say } = options
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-bench-'))
  const file = path.join(folder, 'store.db')
  const hosts = Array.from({ length: many }, (_, i) => `i${i}.example.com`)
  try {
    const started = performance.now()
    await withServer(file, (child) => child.ask({ ask: 'create', hosts }))
    say(`instances: ${many} created, ${((performance.now() - started) / many).toFixed(2)} ms each`)
    return await withServer(file, async (child, port) => {
      await touchAll(port, hosts.slice(0, few))
      const before = await child.ask<Memory>({ ask: 'memory' })
      say(`instances: ${toText(before)} after ${few}`)
      await touchAll(port, hosts.slice(few))
      const after = await child.ask<Memory>({ ask: 'memory' })
      say(`instances: ${toText(after)} after ${many}`)
      const growthMib = (after.rss - before.rss) / MIB
      return [
        {
          name: `memory, ${many} instances touched above ${few}`,
          value: `${growthMib.toFixed(1)} MiB`,
          reference: `${toText(before)} after ${few}`,
          target: `≤ ${TARGET_MIB} MiB`,
          isMet: growthMib <= TARGET_MIB,
        },
      ]
    })
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function withServer<Result>(
  file: string,
  use: (child: Child, port: number) => Promise<Result>,
): Promise<Result> {
  const child = await startChild('instances-server.ts', [file])
  try {
    return await use(child, (child.hello as { port: number }).port) // What it says first.
  } finally {
    await child.stop()
  }
}

async function touchAll(port: number, hosts: readonly string[]): Promise<void> {
  const waiting = [...hosts].reverse()
  async function worker(): Promise<void> {
    for (let host = waiting.pop(); host !== undefined; host = waiting.pop()) await touch(port, host)
  }
  await Promise.all(Array.from({ length: PARALLEL }, worker))
}

async function touch(port: number, host: string): Promise<void> {
  await send(port, host, 'GET', '/.well-known/oauth-authorization-server')
  const token = await obtainToken({ port }, host)
  await send(port, host, 'GET', RESOURCE_PATH, { headers: { authorization: `Bearer ${token}` } })
}

function toText({ rss, used }: Memory): string {
  return `${(rss / MIB).toFixed(1)} MiB (${(used / MIB).toFixed(1)} in use)`
}
