import { writeFile } from 'node:fs/promises'
import { Session } from 'node:inspector/promises'
import path from 'node:path'
import type { Store } from '@svc/store'
import type { BenchJob, BenchServer } from './servers/bench-server.ts'

/** What the harness asks this process. */
export type ServerRequest =
  | { readonly ask: 'prepare'; readonly job: BenchJob; readonly count: number }
  /** Microseconds of CPU time so far, of all threads. */
  | { readonly ask: 'cpu' }
  /** Bytes of resident memory. */
  | { readonly ask: 'memory' }
  /** Writes a CPU profile of what came since the last one was asked for. */
  | { readonly ask: 'profile'; readonly file: string }

/**
 * The package as one embeds it (`ours`), also with the record of activity (`noted`) and behind its handler, in front of
 * a listener of Node (`mounted`); the built host as an operator runs it, also of another checkout (`host before`); the
 * lines of the README, built (`embedding`); and what these are held against: the engine by itself (`bare`), Koa by
 * itself (`koa`), and that listener by itself (`node`).
 */
export type Variant =
  | 'bare'
  | 'embedding'
  | 'host'
  | 'host before'
  | 'koa'
  | 'mounted'
  | 'node'
  | 'noted'
  | 'ours'

export interface ServerOptions {
  readonly variant: Variant
  /** A Redis address, or `sqlite`. */
  readonly store: string
  /** What is kept in files goes here. */
  readonly folder: string
  /** @defaultValue 1 */
  readonly instances?: number
  /** Folder of a built host. @defaultValue this checkout's */
  readonly built?: string
}

const BUILT = path.join(import.meta.dirname, '../dist')

// One server in a process of its own: `pair-server.ts <options as JSON>`.
const options = JSON.parse(process.argv[2] ?? '') as ServerOptions // Written by the harness.
const server = await start(options)

async function start({ variant, ...given }: ServerOptions): Promise<BenchServer> {
  const { store, folder, instances = 1, built = BUILT } = given
  // Each loads only what it is: the built ones take the packages as they are built.
  switch (variant) {
    case 'bare': {
      const { startBare } = await import('./servers/bare.ts')
      return startBare(await openStore(given, variant))
    }
    case 'koa':
      return (await import('./servers/bare-koa.ts')).startBareKoa()
    case 'node':
      return (await import('./servers/bare-node.ts')).startBareNode()
    case 'embedding':
      return (await import('./servers/embedding.ts')).startEmbedding(folder)
    case 'host':
    case 'host before': {
      const { startBuiltHost } = await import('./servers/host.ts')
      const dataDir = path.join(folder, variant.replace(' ', '-'))
      return startBuiltHost({ store, dataDir, instances, built })
    }
    case 'mounted':
    case 'noted':
    case 'ours': {
      const { startOurs } = await import('./servers/ours.ts')
      const more = { isNoted: variant === 'noted', isMounted: variant === 'mounted' }
      return startOurs(await openStore(given, variant), more)
    }
  }
}

async function openStore(
  { store, folder }: Pick<ServerOptions, 'folder' | 'store'>,
  variant: Variant,
): Promise<Store> {
  const { COUNTED_KINDS } = await import('../src/quota/counted-kinds.ts')
  if (store.startsWith('redis:')) {
    const { redisStore } = await import('@svc/store/redis')
    // Two of ours have the same owner: each is in a database of its own.
    const url = variant === 'noted' ? `${store}/1` : store
    return redisStore({ url, countedKinds: COUNTED_KINDS })
  }
  const { sqliteStore } = await import('@svc/store/sqlite')
  return sqliteStore({ file: path.join(folder, `${variant}.db`), countedKinds: COUNTED_KINDS })
}

let profiler: Session | undefined

process.on('message', (request: ServerRequest) => {
  answer(request).then(
    (value) => process.send?.(value),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
process.once('disconnect', () => {
  void Promise.resolve(server.close?.()).then(() => process.exit())
})
process.send?.({ port: server.port })

async function answer(request: ServerRequest): Promise<unknown> {
  if (request.ask === 'prepare') return server.prepare(request.job, request.count)
  if (request.ask === 'cpu') {
    const { user, system } = process.cpuUsage()
    return user + system
  }
  if (request.ask === 'memory') return process.memoryUsage.rss()
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
