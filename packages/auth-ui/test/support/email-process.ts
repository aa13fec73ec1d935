import { sqliteStore } from '@svc/store/sqlite'
import { askFor, OLD, press, startEmail, tokenIn } from './email-change.ts'

/** What the process is told: where to keep things, and at which mail it stops. */
export interface EmailProcessArguments {
  readonly file: string
  /** In base64. */
  readonly key: string
  readonly stopsAt: 'email_changed' | 'update_email'
}

// Changes the mail address and stops between mail and write: `email-process.ts <arguments as JSON>`.
const told = JSON.parse(process.argv[2] ?? '') as EmailProcessArguments // Written by the test.
const at = await startEmail({
  store: sqliteStore({ file: told.file }),
  key: Buffer.from(told.key, 'base64'),
})
const stop = (): Promise<void> => {
  process.send?.(tokenIn(at, 'update_email'))
  return new Promise(() => {})
}
if (told.stopsAt === 'update_email') {
  at.faults.set('alice@new.example', stop)
  await askFor(at)
} else {
  await askFor(at)
  await at.server.sentMails()
  at.faults.set(OLD, stop)
  await press(at.owner.browser, '/auth/email', tokenIn(at, 'update_email'))
}
