import { writeFile } from 'node:fs/promises'
import { Session } from 'node:inspector/promises'
import { redisStore } from '@svc/store/redis'
import { sqliteStore } from '@svc/store/sqlite'
import { COUNTED_KINDS } from '../src/quota/counted-kinds.ts'
import { startBare } from './servers/bare.ts'
import type { BenchGrant } from './servers/bench-server.ts'
import { startOurs } from './servers/ours.ts'

/** What the harness asks this process. */
export type ServerRequest =
  | { readonly ask: 'prepare'; readonly grant: BenchGrant; readonly count: number }
  | { readonly ask: 'cpu' }
  /** Writes a CPU profile of what came since the last one was asked for. */
  | { readonly ask: 'profile'; readonly file: string }
  | { readonly ask: 'stop' }

/** The bare engine, ours, and ours with the record of activity. */
export type Variant = 'bare' | 'noted' | 'ours'

// One token server in a process of its own: `token-server.ts <variant> <redis url or file>`.
const [variant, target = ''] = process.argv.slice(2)
const store = target.startsWith('redis:')
  ? redisStore({ url: target, countedKinds: COUNTED_KINDS })
  : sqliteStore({ file: target, countedKinds: COUNTED_KINDS })
const server = await (variant === 'bare' ? startBare(store) : startOurs(store, variant === 'noted'))

let profiler: Session | undefined

process.on('message', (request: ServerRequest) => {
  answer(request).then(
    (value) => process.send?.(value),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
process.once('disconnect', () => process.exit())
process.send?.({ port: server.port, host: server.host })

async function answer(request: ServerRequest): Promise<unknown> {
  if (request.ask === 'prepare') return server.prepare(request.grant, request.count)
  if (request.ask === 'cpu') {
    const { user, system } = process.cpuUsage()
    return user + system
  }
  if (request.ask === 'profile') {
    if (profiler === undefined) {
      profiler = new Session()
      profiler.connect()
      await profiler.post('Profiler.enable')
    } else {
      const { profile } = await profiler.post('Profiler.stop')
      await writeFile(request.file, JSON.stringify(profile))
    }
    await profiler.post('Profiler.start')
    return true
  }
  await store.close()
  setImmediate(() => process.exit())
  return true
}
