import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describeError } from '@svc/store'

/** A large snapshot takes long to load. Milliseconds. */
const LOADING_MS = 10 * 60_000
const BETWEEN_TRIES_MS = 100

/** A file is no snapshot that Redis reads. */
export class SnapshotError extends Error {
  override readonly name: string = 'SnapshotError'
}

/**
 * Has a redis-server of our own, on loopback, read a snapshot; it ends with the work.
 * @throws SnapshotError when it cannot read the file
 * @throws Error where no redis-server is installed
 */
export async function withSnapshot<Result>(
  file: string,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-snapshot-'))
  const port = await freePort()
  copyFileSync(file, join(folder, 'dump.rdb'))
  const settings = { port, dir: folder, bind: '127.0.0.1', save: '', appendonly: 'no' }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
  const server = spawn('redis-server', [...args, '--maxmemory-policy', 'noeviction'], {
    stdio: 'ignore',
  })
  const ended = once(server, 'exit').then(
    () => new SnapshotError('redis-server cannot read the snapshot'),
    (cause: unknown) =>
      new Error('A snapshot of Redis is verified with a redis-server: install one.', { cause }),
  )
  const failed = ended.then((error) => {
    throw error
  })
  failed.catch(() => {})
  const url = `redis://127.0.0.1:${port}`
  const over = new AbortController()
  try {
    await Promise.race([untilLoaded(url, over.signal), failed])
    return await work(url)
  } finally {
    over.abort()
    server.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Gives up when the server has ended: nobody waits for it then. */
async function untilLoaded(url: string, over: AbortSignal): Promise<void> {
  const { redisStore } = await import('@svc/store/redis')
  const until = performance.now() + LOADING_MS
  while (!over.aborted) {
    const store = redisStore({ url })
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
