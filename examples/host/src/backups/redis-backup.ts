import { rmSync } from 'node:fs'
import { describeError } from '@svc/store'
import { readStoreRecord } from '../storage/store-record.ts'
import { copyToNew, unfinishedIn } from './backup-files.ts'
import { withSnapshotStore } from './check-snapshot.ts'
import {
  type CreatedBackup,
  type CreateOptions,
  freeStem,
  keepBackup,
  openFolder,
} from './create-backup.ts'
import { checkRecipient } from './encryption.ts'
import { takeInventory } from './inventory.ts'

/**
 * Has Redis write a snapshot, and copies it to the folder, when it is on this machine.
 * @throws Error in words for the operator; where the snapshot is, when it cannot be read from here
 * @see operation.md 4.1 (2)
 */
export async function createRedisBackup(
  options: Omit<CreateOptions, 'copy'> & { readonly url: string },
): Promise<CreatedBackup> {
  const { clock, recipient, registry, url } = options
  if (recipient !== undefined) await checkRecipient(recipient)
  const directory = openFolder(options)
  const stem = freeStem(directory, clock.now())
  const unfinished = unfinishedIn(directory, stem)
  const { saveRedisSnapshot } = await import('@svc/store/redis')
  const snapshot = await saveRedisSnapshot(url)
  try {
    await copySnapshot(snapshot, unfinished)
    const at = clock.now()
    const found = await withSnapshotStore(unfinished, { now: () => at }, async (store) => ({
      storeVersion: (await readStoreRecord(store))?.version ?? 1,
      ...(await takeInventory(store.dump(), registry)),
    }))
    return await keepBackup(
      { directory, stem, unfinished, at, ...(recipient !== undefined && { recipient }) },
      { engine: 'redis', ...found },
    )
  } finally {
    rmSync(unfinished, { force: true })
  }
}

async function copySnapshot(snapshot: string | undefined, to: string): Promise<void> {
  if (snapshot === undefined) {
    throw new Error(
      'Redis wrote a snapshot, and does not say where. Take it from the service that runs Redis: docs/backup.md.',
    )
  }
  try {
    await copyToNew(snapshot, to)
  } catch (cause) {
    throw new Error(
      `Redis wrote its snapshot to ${snapshot}, which cannot be read from here: ${describeError(cause)}. ` +
        'Run this on the machine of Redis, as a user who may read it.',
      { cause },
    )
  }
}
