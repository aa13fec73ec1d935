import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { RouteContext } from '@svc/platform'
import { describeError } from '@svc/store'
import type { AuthUiLog } from './log/log-events.ts'

/** Between an answer and the work whose time must not be told, and as much again at random. */
const LEAST_PAUSE_MS = 25

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

  /**
   * Runs work that the time of the answer must not tell of: it begins once the answer has left. Begun earlier, its first
   * steps would delay the answer, however little it waits for them.
   */
  afterAnswer({ res }: Pick<RouteContext, 'res'>, name: string, work: () => Promise<void>): void {
    this.run(name, async () => {
      if (!res.closed) await new Promise((resolve) => res.once('close', resolve))
      // Who asks may be on this machine, and would wait for a processor that is at work.
      await wait(LEAST_PAUSE_MS + randomInt(LEAST_PAUSE_MS))
      await work()
    })
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
