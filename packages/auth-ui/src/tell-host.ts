import type { Logger } from '@svc/platform'
import { describeError } from '@svc/store'

/** Runs a hook about something that happened: its failure is logged and undoes nothing. */
export async function tellHost(
  log: Logger,
  name: string,
  tell: () => Promise<void> | void | undefined,
): Promise<void> {
  try {
    await tell()
  } catch (error) {
    log.error('hook.failed', { name, cause: describeError(error) })
  }
}
