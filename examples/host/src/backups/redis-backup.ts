import { chmodSync, copyFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describeError } from '@svc/store'
import { PRODUCT_VERSION } from '../processes/product-version.ts'
import { readStoreRecord } from '../storage/store-record.ts'
import { manifestOf, stemOf, syncPath, unfinishedIn } from './backup-files.ts'
import { digestOf } from './check-file.ts'
import { type CreatedBackup, type CreateOptions, openFolder } from './create-backup.ts'
import { checkRecipient, encryptFile } from './encryption.ts'
import { takeInventory } from './inventory.ts'
import { type Manifest, writeManifest } from './manifest.ts'
import { dumpSnapshot } from './redis-snapshot.ts'

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
  const stem = stemOf(clock.now())
  const unfinished = unfinishedIn(directory, stem)
  const encrypted = `${unfinished.replace(/unfinished$/, 'age')}.unfinished`
  const described = `${unfinished.replace(/unfinished$/, 'json')}.unfinished`
  const { redisStore, saveRedisSnapshot } = await import('@svc/store/redis')
  const snapshot = await saveRedisSnapshot(url)
  try {
    copySnapshot(snapshot, unfinished)
    const at = clock.now()
    const inventory = await takeInventory(dumpSnapshot(unfinished, { now: () => at }), registry)
    const store = redisStore({ url })
    const record = await readStoreRecord(store)
    await store.close()
    const isEncrypted = recipient !== undefined
    if (isEncrypted) await encryptFile(unfinished, encrypted, recipient)
    const made = isEncrypted ? encrypted : unfinished
    const file = join(directory, `${stem}.rdb${isEncrypted ? '.age' : ''}`)
    const manifest: Manifest = {
      format: 'svc-backup',
      formatVersion: 1,
      product: PRODUCT_VERSION,
      engine: 'redis',
      storeVersion: record?.version ?? 1,
      createdAt: new Date(at).toISOString(),
      encrypted: isEncrypted,
      ...(await digestOf(made)),
      ...inventory,
    }
    writeManifest(manifestOf(file), described, manifest)
    renameSync(made, file)
    syncPath(directory)
    return { file, manifest }
  } finally {
    for (const rest of [unfinished, encrypted, described]) rmSync(rest, { force: true })
  }
}

function copySnapshot(snapshot: string | undefined, to: string): void {
  if (snapshot === undefined) {
    throw new Error(
      'Redis wrote a snapshot, and does not say where. Take it from the service that runs Redis: docs/backup.md.',
    )
  }
  try {
    copyFileSync(snapshot, to)
    chmodSync(to, 0o600)
    syncPath(to)
  } catch (cause) {
    throw new Error(
      `Redis wrote its snapshot to ${snapshot}, which cannot be read from here: ${describeError(cause)}. ` +
        'Run this on the machine of Redis, as a user who may read it.',
      { cause },
    )
  }
}
