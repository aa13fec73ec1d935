import { closeSync, openSync, rmSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { describeError, type Store } from '@svc/store'
import type { EmbeddedStore } from '@svc/store/sqlite'
import { isUnfinished, syncFile } from '../backups/backup-files.ts'
import type { HostServices } from '../services.ts'
import { noteBackupVerified } from '../storage/backup-record.ts'
import { checkBody } from './admin.schema.ts'
import { AdminError } from './admin-error.ts'
import type { AdminRouting } from './owner-routes.ts'

/** The copy that is being made, or was made last. */
interface Copy {
  readonly file: string
  state: 'copying' | 'done' | 'failed'
  error?: string
}

/** What `svc backup` asks of a running server. @see operation.md 4.1, 4.2 */
export function addBackupRoutes(
  { route }: Pick<AdminRouting, 'route'>,
  { oauth }: HostServices,
  store: Store,
): void {
  const { clock } = oauth
  let copy: Copy | undefined

  route('post', '/backups', 'backups:create', async (ctx) => {
    const file = String(checkBody('createBackup', ctx.request.body)['file'])
    if (!isAbsolute(file) || !isUnfinished(file)) {
      throw new AdminError('invalid_request', 400, 'file is no place for a backup')
    }
    if (!isEmbedded(store)) {
      throw new AdminError('invalid_request', 400, 'the store is on Redis, which copies itself')
    }
    if (copy?.state === 'copying') throw new AdminError('backup_running', 409)
    makeFile(file)
    const started: Copy = { file, state: 'copying' }
    copy = started
    copyTo(store, file).then(
      () => {
        started.state = 'done'
      },
      (error: unknown) => {
        started.state = 'failed'
        started.error = describeError(error)
      },
    )
    ctx.status = 202
    ctx.body = started
  })

  route('get', '/backups/current', 'backups:create', async (ctx) => {
    ctx.body = copy ?? {}
  })

  route('post', '/backups/verified', 'backups:create', async (ctx) => {
    await noteBackupVerified(store, clock.now())
    ctx.status = 204
  })
}

function isEmbedded(store: Store): store is EmbeddedStore {
  return 'backup' in store
}

/** Nothing that is there is written over. */
function makeFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    throw new AdminError(
      'invalid_request',
      400,
      `the server cannot write there: ${describeError(error)}`,
    )
  }
}

async function copyTo(store: EmbeddedStore, file: string): Promise<void> {
  try {
    await store.backup(file)
    await syncFile(file)
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  }
}
