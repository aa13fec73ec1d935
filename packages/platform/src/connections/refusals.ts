import { MINUTE_MS } from '../durations.ts'
import type { PlatformLog } from '../log/log-events.ts'

/**
 * Why connections are refused or cut.
 * @example
 * const labels = REFUSAL_REASONS.map((reason) => `reason="${reason}"`)
 */
export const REFUSAL_REASONS = [
  'address',
  'total',
  'pipeline',
  'slow_headers',
  'slow_body',
  'slow_reader',
  'malformed',
] as const

/**
 * `address`: too many connections of one address; `total`: too many in all; `pipeline`: too many requests sent ahead;
 * `slow_headers`: no complete header section (or TLS handshake) in time; `slow_body`: no complete body in time;
 * `slow_reader`: the answer was not taken; `malformed`: no HTTP.
 */
export type RefusalReason = (typeof REFUSAL_REASONS)[number]

/**
 * Takes lines about refused connections.
 * @see docs/logs.md of the repository
 */
export interface RefusalLog {
  warn(event: string, fields?: Readonly<Record<string, unknown>>): void
}

/** Counts refusals, and tells of them once a minute and reason: whoever floods must not fill the log. */
export class Refusals {
  readonly counts: Record<RefusalReason, number>
  readonly #log: Pick<PlatformLog, 'warn'> | undefined
  /** Not told yet, of reasons that were told less than a minute ago. */
  readonly #untold = new Map<RefusalReason, number>()

  constructor(log: RefusalLog | undefined) {
    this.#log = log
    // Every reason is there from the beginning.
    this.counts = Object.fromEntries(REFUSAL_REASONS.map((reason) => [reason, 0])) as Record<
      RefusalReason,
      number
    >
  }

  note(reason: RefusalReason): void {
    this.counts[reason] += 1
    const untold = this.#untold.get(reason)
    if (untold === undefined) this.#tell(reason, 1)
    else this.#untold.set(reason, untold + 1)
  }

  /** Tells what is left, when the listener closes. */
  flush(): void {
    for (const [reason, count] of this.#untold) {
      if (count > 0) this.#log?.warn('connection.refused', { reason, count })
    }
    this.#untold.clear()
  }

  #tell(reason: RefusalReason, count: number): void {
    this.#log?.warn('connection.refused', { reason, count })
    this.#untold.set(reason, 0)
    setTimeout(() => {
      const gathered = this.#untold.get(reason) ?? 0
      if (gathered > 0) this.#tell(reason, gathered)
      else this.#untold.delete(reason)
    }, MINUTE_MS).unref()
  }
}
