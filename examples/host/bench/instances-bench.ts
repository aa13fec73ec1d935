import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Child, startChild } from './child.ts'
import type { Figure } from './figure.ts'
import type { Memory } from './instances-server.ts'
import { send } from './servers/ask.ts'
import { obtainToken, RESOURCE_PATH } from './servers/embedded.ts'

export interface InstancesBenchOptions {
  /** Instances that are touched before the first reading, and in the end. */
  readonly few: number
  readonly many: number
  readonly say: (line: string) => void
}

const MIB = 1024 * 1024
const TARGET = 16 * MIB
const PARALLEL = 8

/**
 * How memory grows with the number of instances in use. A touch is the whole job of a client: metadata, registration,
 * authorization, exchange, guarded request. What is in use is read after some instances were touched once and after
 * all were. Resident memory also knows how busy the process has been, so it is read after as many touches of the few.
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
      const read = async (what: string): Promise<Memory> => {
        const memory = await child.ask<Memory>({ ask: 'memory' })
        say(`instances: ${toText(memory.rss)}, ${toText(memory.used)} in use after ${what}`)
        return memory
      }
      const touched = hosts.slice(0, few)
      await touchAll(port, touched)
      const once = await read(`touching ${few}`)
      for (let touches = few; touches < many; touches += few) await touchAll(port, touched)
      const often = await read(`touching ${few} as often as all`)
      await touchAll(port, hosts.slice(few))
      const all = await read(`touching all ${many}`)
      return [
        toFigure(`memory in use, ${many} instances above ${few}`, once.used, all.used),
        toFigure(`resident memory, ${many} instances above ${few}`, often.rss, all.rss),
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

function toFigure(name: string, before: number, after: number): Figure {
  return {
    name,
    value: toText(after - before),
    reference: toText(before),
    target: `≤ ${toText(TARGET)}`,
    isMet: after - before <= TARGET,
  }
}

function toText(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`
}
