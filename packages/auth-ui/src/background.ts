import { describeError } from '@svc/store'
import type { AuthUiLog } from './log/log-events.ts'

/** Work that no answer waits for and whose failure spoils nothing, such as mails. One for the whole package. */
export class Background {
  readonly #log: AuthUiLog
  readonly #running = new Set<Promise<void>>()

  constructor(log: AuthUiLog) {
    this.#log = log
  }

  run(name: string, work: () => Promise<void>): void {
    const ending = work().catch((error: unknown) => {
      this.#log.error('background.failed', { name, cause: describeError(error) })
    })
    this.#running.add(ending)
    void ending.finally(() => this.#running.delete(ending))
  }

  /** Resolves when everything started so far has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#running)
  }
}

/** Runs a hook about something that happened: its failure is logged and undoes nothing. */
export async function notifyHost(
  log: AuthUiLog,
  name: string,
  tell: () => Promise<void> | void | undefined,
): Promise<void> {
  try {
    await tell()
  } catch (error) {
    log.error('hook.failed', { name, cause: describeError(error) })
  }
}
