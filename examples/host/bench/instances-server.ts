import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sqliteStore } from '@svc/store/sqlite'
import { startEmbedded } from './servers/embedded.ts'

/** What the harness asks this process. */
export type InstancesRequest =
  | { readonly ask: 'create'; readonly hosts: readonly string[] }
  | { readonly ask: 'memory' }

/** Bytes, garbage collected. */
export interface Memory {
  readonly rss: number
  /** JavaScript objects and what they hold outside of the heap. */
  readonly used: number
}

/** Creations under way at a time. */
const PARALLEL = 64

// The package on one SQLite file in a process of its own: `instances-server.ts <file>`.
const [file = ''] = process.argv.slice(2)
const store = sqliteStore({ file })
const server = await startEmbedded(store)
setFlagsFromString('--expose-gc')
// What the flag defines.
const collectGarbage = runInNewContext('gc') as (options: Readonly<Record<string, string>>) => void

process.on('message', (request: InstancesRequest) => {
  const answer = request.ask === 'create' ? create([...request.hosts]) : readMemory()
  answer.then(
    (value) => process.send?.(value),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
process.once('disconnect', () => {
  void server
    .close()
    .then(() => store.close())
    .then(() => process.exit())
})
process.send?.({ port: server.port })

async function create(hosts: string[]): Promise<true> {
  async function worker(): Promise<void> {
    for (let host = hosts.pop(); host !== undefined; host = hosts.pop()) {
      await server.oauth.instances.create({ domain: host })
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, worker))
  return true
}

async function readMemory(): Promise<Memory> {
  // The last resort also gives back the pages that V8 keeps for its next objects. Finalizers run in between.
  for (let i = 0; i < 5; i += 1) {
    collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    await sleep(100)
  }
  const { rss, heapUsed, external } = process.memoryUsage()
  return { rss, used: heapUsed + external }
}
