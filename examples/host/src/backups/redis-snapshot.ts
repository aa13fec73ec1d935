import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type Clock, type DumpEntry, describeError } from '@svc/store'

/** A large snapshot takes long to load. Milliseconds. */
const LOADING_MS = 10 * 60_000
const BETWEEN_TRIES_MS = 100

/**
 * What a snapshot of Redis holds, read by a redis-server of our own on loopback that ends with the reading.
 * @throws Error where no redis-server is installed, or it cannot read the file
 */
export async function* dumpSnapshot(file: string, clock: Clock): AsyncGenerator<DumpEntry> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-snapshot-'))
  const port = await freePort()
  copyFileSync(file, join(folder, 'dump.rdb'))
  const settings = { port, dir: folder, bind: '127.0.0.1', save: '', appendonly: 'no' }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
  const server = spawn('redis-server', [...args, '--maxmemory-policy', 'noeviction'], {
    stdio: 'ignore',
  })
  const ended = once(server, 'exit').then(
    () => new Error('redis-server cannot read the snapshot.'),
    (cause: unknown) =>
      new Error('A snapshot of Redis is verified with a redis-server: install one.', { cause }),
  )
  try {
    await Promise.race([
      untilLoaded(port),
      ended.then((error) => {
        throw error
      }),
    ])
    const { redisStore } = await import('@svc/store/redis')
    const store = redisStore({ url: `redis://127.0.0.1:${port}`, clock, commandTimeoutMs: 30_000 })
    try {
      yield* store.dump()
    } finally {
      await store.close()
    }
  } finally {
    server.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}

async function untilLoaded(port: number): Promise<void> {
  const { redisStore } = await import('@svc/store/redis')
  const until = performance.now() + LOADING_MS
  for (;;) {
    const store = redisStore({ url: `redis://127.0.0.1:${port}` })
    try {
      await store.health()
      return
    } catch (error) {
      if (performance.now() > until) {
        throw new Error(`redis-server does not read the snapshot: ${describeError(error)}`)
      }
    } finally {
      await store.close()
    }
    await setTimeout(BETWEEN_TRIES_MS)
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
