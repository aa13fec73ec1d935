import { createHash } from 'node:crypto'
import type { Clock, Store } from '@svc/store'
import { listProcesses } from '../processes/process-record.ts'
import { withSnapshotStore } from './check-snapshot.ts'
import { putMark } from './restored-record.ts'

export interface MarkOptions {
  /** The verified backup that is in the place of Redis's own file. */
  readonly plain: string
  readonly url: string
  /** When the backup was made, milliseconds since the epoch. */
  readonly backupAt: number
  readonly revokeGrants: boolean
  readonly clock: Clock
}

/** What the mark itself is made of. */
const OF_THE_MARK = /^\{[^}]+\}:restored(?:-notice)?:/

/**
 * Marks a store on Redis as put back, once Redis has read the backup and before a server uses it.
 * @throws Error in words for the operator; nothing is changed then
 * @see operation.md 4.2
 */
export async function markRedisRestored(options: MarkOptions): Promise<void> {
  const { plain, url, backupAt, revokeGrants, clock } = options
  const { redisStore } = await import('@svc/store/redis')
  const store = redisStore({ url, clock })
  try {
    // What the backup has of processes was written before it was made.
    const running = (await listProcesses(store)).find(({ seenAt }) => seenAt > backupAt)
    if (running !== undefined) {
      const { hostname, pid } = running
      throw new Error(
        `A server uses this store, or did a minute ago: process ${pid} of ${hostname}. ` +
          'Stop all of them, put the backup in its place again, then run this again. Nothing was changed.',
      )
    }
    const wanted = await withSnapshotStore(plain, clock, contentOf)
    const found = await contentOf(store)
    if (found !== wanted) {
      throw new Error(
        'The store on Redis is not the one of this backup: put the file in the place of its own first, with all servers ' +
          'stopped. How that is done is in docs/backup.md, "With Redis". Nothing was changed.',
      )
    }
    await putMark(store, { backupAt, restoredAt: clock.now(), revokeGrants }, new Map())
  } finally {
    await store.close()
  }
}

/** The same text for stores with the same records, however they are ordered; what expires is left out. */
async function contentOf(store: Store): Promise<string> {
  let sum = 0n
  let count = 0
  for await (const entry of store.dump()) {
    if (entry.type !== 'record') break
    if (entry.expiresAt !== undefined || OF_THE_MARK.test(entry.key)) continue
    const digest = createHash('sha256').update(`${entry.key}\n${entry.revision}`).digest('hex')
    sum = BigInt.asUintN(256, sum + BigInt(`0x${digest}`))
    count++
  }
  return `${count} ${sum.toString(16)}`
}
