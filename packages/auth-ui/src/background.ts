import type { Logger } from '@svc/platform'
import { describeError } from '@svc/store'

/** Work that no answer waits for and whose failure spoils nothing, such as mails. */
export interface Background {
  run(name: string, work: () => Promise<void>): void
  /** Resolves when everything started so far has ended. */
  idle(): Promise<void>
}

/** One for the whole package. */
export function createBackground(log: Logger): Background {
  const running = new Set<Promise<void>>()
  return {
    run(name, work) {
      const ending = work().catch((error: unknown) => {
        log.error('background.failed', { name, cause: describeError(error) })
      })
      running.add(ending)
      void ending.finally(() => running.delete(ending))
    },
    async idle() {
      await Promise.all(running)
    },
  }
}

/** Runs a hook about something that happened: its failure is logged and undoes nothing. */
export async function notifyHost(
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
