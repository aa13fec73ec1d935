import { isAbsolute } from 'node:path'
import { describeError, type Store } from '@svc/store'
import type { EmbeddedStore } from '@svc/store/sqlite'
import { isUnfinished } from '../backups/backup-files.ts'
import { type Copy, ServedCopies } from '../backups/served-copy.ts'
import type { HostServices } from '../services.ts'
import { noteBackupVerified } from '../storage/backup-record.ts'
import { checkBody } from './admin.schema.ts'
import { AdminError } from './admin-error.ts'
import type { AdminRouting } from './owner-routes.ts'

const BUSY =
  'The server makes a copy for another svc backup create. One whose command was ended is given up within ten seconds: try again then.'

/** What `svc backup` asks of a running server. @see operation.md 4.1, 4.2 */
export function addBackupRoutes(
  { route }: Pick<AdminRouting, 'route'>,
  { oauth }: HostServices,
  store: Store,
): void {
  const { clock } = oauth
  const copies = isEmbedded(store) ? new ServedCopies(store) : undefined

  route('post', '/backups', 'backups:create', async (ctx) => {
    const file = String(checkBody('createBackup', ctx.request.body)['file'])
    if (!isAbsolute(file) || !isUnfinished(file)) {
      throw new AdminError('invalid_request', 400, 'file is no place for a backup')
    }
    if (copies === undefined) {
      throw new AdminError('invalid_request', 400, 'the store is on Redis, which copies itself')
    }
    const begun = begin(copies, file)
    if (begun === undefined) throw new AdminError('backup_running', 409, BUSY)
    ctx.status = 202
    ctx.body = begun
  })

  route('get', '/backups/current', 'backups:create', async (ctx) => {
    ctx.body = copies?.ask() ?? {}
  })

  route('post', '/backups/verified', 'backups:create', async (ctx) => {
    await noteBackupVerified(store, clock.now())
    ctx.status = 204
  })
}

function isEmbedded(store: Store): store is EmbeddedStore {
  return 'backup' in store
}

function begin(copies: ServedCopies, file: string): Copy | undefined {
  try {
    return copies.begin(file)
  } catch (error) {
    throw new AdminError(
      'invalid_request',
      400,
      `the server cannot write there: ${describeError(error)}`,
    )
  }
}
