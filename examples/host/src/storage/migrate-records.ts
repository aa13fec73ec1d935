import { setTimeout } from 'node:timers/promises'
import type { DumpedRecord, Json, Store } from '@svc/store'

/** What raises a store by one version. */
export interface UpgradeStep {
  /** The version after it. */
  readonly to: number
  /** Oldest product that reads that version. */
  readonly oldestProduct: string
  /** Pure and total: the value that a record has in that version; undefined when it has it already. */
  readonly migrate: (record: Pick<DumpedRecord, 'key' | 'value'>) => Json | undefined
}

/** Records between two pauses. */
const BATCH = 100

export interface MigrateOptions {
  /** Between two batches, so that owners are served meanwhile. Milliseconds. */
  readonly pauseMs: number
  readonly progress?: (records: number) => void
}

/**
 * Brings every record forward, those written meanwhile too: their writer knows the later form. One that was interrupted
 * is repeated, and writes only what is left.
 * @returns how many records it wrote
 */
export async function migrateRecords(
  store: Store,
  { migrate }: UpgradeStep,
  { pauseMs, progress }: MigrateOptions,
): Promise<number> {
  let seen = 0
  let changed = 0
  for await (const entry of store.dump()) {
    if (entry.type !== 'record') break
    seen++
    if (await migrateOne(store, entry, migrate)) changed++
    if (seen % BATCH !== 0) continue
    progress?.(seen)
    await setTimeout(pauseMs)
  }
  progress?.(seen)
  return changed
}

async function migrateOne(
  store: Store,
  found: Pick<DumpedRecord, 'key' | 'value' | 'revision'>,
  migrate: UpgradeStep['migrate'],
): Promise<boolean> {
  let record: Pick<DumpedRecord, 'key' | 'value' | 'revision'> | undefined = found
  while (record !== undefined) {
    const { key, revision }: Pick<DumpedRecord, 'key' | 'revision'> = record
    const value = migrate(record)
    if (value === undefined) return false
    if ((await store.write([{ op: 'revise', key, value, ifRevision: revision }])).written)
      return true
    // Somebody else wrote it, or it is gone.
    record = await store.get(key)
  }
  return false
}
