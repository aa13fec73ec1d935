import { HOUR_MS } from '@svc/platform'
import { readBackupVerified } from '../storage/backup-record.ts'
import { type Check, ok, warning } from './check.ts'

/** A backup a day, and two hours for the one that takes longer. */
const OLDEST_MS = 26 * HOUR_MS

/** How old the last backup is that was verified. */
export const backupAge: Check = {
  id: 'backup.age',
  when: 'doctor',
  async run({ store, clock }) {
    if (store === undefined) return []
    const at = await readBackupVerified(store)
    const remedy = 'Make a backup every day, and verify it.'
    if (at === undefined) return [warning('No backup was verified yet.', remedy)]
    const hours = Math.floor((clock.now() - at) / HOUR_MS)
    const text = `The last verified backup is ${hours} h old.`
    return [clock.now() - at > OLDEST_MS ? warning(text, remedy) : ok(text)]
  },
}
