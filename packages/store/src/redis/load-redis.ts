import type { Clock } from '../clock.ts'
import { instanceTag } from '../writes/arguments.ts'
import type { LoadedRecord, LoadTarget } from '../writes/load-entries.ts'
import { changeArguments } from './change-arguments.ts'
import type { Connection } from './connection.ts'
import { indexName, physicalCounter, physicalIndex } from './packed-record.ts'
import type { RedisScheduler } from './redis-scheduler.ts'
import type { RunScript } from './run-script.ts'
import { SCRIPTS, TTL_MARGIN_MS } from './scripts.ts'
import type { RedisUsage } from './usage/redis-usage.ts'

/** Records of one script run: they share an instance. */
const AT_ONCE = 100

/** Stores what is loaded into Redis. */
export function loadTarget({
  connection,
  runScript,
  clock,
  scheduler,
  usage,
}: {
  readonly connection: Connection
  readonly runScript: RunScript
  readonly clock: Clock
  readonly scheduler: RedisScheduler
  readonly usage: RedisUsage
}): LoadTarget {
  async function write(tag: string, loaded: readonly LoadedRecord[]): Promise<void> {
    const now = clock.now()
    const indexes = loaded.flatMap(({ change }) =>
      change.entries.map(({ index }) => physicalIndex(tag, indexName(index))),
    )
    const args = [
      now,
      physicalIndex(tag, ''),
      loaded.length,
      '',
      '',
      ...loaded.flatMap(({ change, revision }) =>
        changeArguments(change, revision, now, usage.counts(change.key)),
      ),
    ]
    const keys = [...loaded.map(({ change }) => change.key), ...indexes]
    await runScript(SCRIPTS.write, keys, args, { repeat: true, replicate: true })
  }

  return {
    now: () => clock.now(),
    scheduler,
    async records(loaded) {
      const groups = Map.groupBy(loaded, ({ change }) => instanceTag(change.key))
      const writes: Promise<void>[] = []
      for (const [tag, group] of groups) {
        for (let at = 0; at < group.length; at += AT_ONCE) {
          writes.push(write(tag, group.slice(at, at + AT_ONCE)))
        }
      }
      await Promise.all(writes)
    },
    async counters(loaded) {
      const { client, send } = connection
      const now = clock.now()
      const writes = loaded.map(({ key, count, resetsAt }) => {
        const ttl = resetsAt - now + TTL_MARGIN_MS
        const physical = physicalCounter(instanceTag(key), key)
        return send(() => client.set(physical, `${count} ${resetsAt}`, 'PX', ttl))
      })
      await Promise.all(writes)
    },
  }
}
