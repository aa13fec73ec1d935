import { setTimeout as sleep } from 'node:timers/promises'
import { timeBudget } from './time-budget.ts'

export interface UntilOptions {
  /** What it takes at most on a quiet machine. Milliseconds. @defaultValue `5_000` */
  readonly limitMs?: number
  /** What is said when it never comes, with what is known by then. @defaultValue the source of the condition */
  readonly describe?: () => string
}

/** A long wait looks less often, so that looking does not become the load. */
const SHORTEST_PAUSE_MS = 2
const LONGEST_PAUSE_MS = 50

/**
 * Waits until a look finds something, and answers what it found: the only way to wait for what no event tells.
 * @throws Error when the time budget is over; a look that throws ends the wait at once
 */
export async function until<Found>(
  look: () => Found | Promise<Found>,
  options: UntilOptions = {},
): Promise<Exclude<Found, false | null | undefined>> {
  const { limitMs = 5000, describe = () => String(look) } = options
  const budgetMs = timeBudget(limitMs)
  const end = performance.now() + budgetMs
  for (let looks = 1; ; looks += 1) {
    const found = await look()
    if (isSomething(found)) return found
    if (performance.now() > end) throw new Error(`never within ${budgetMs} ms: ${describe()}`)
    await sleep(Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, looks / 10)))
  }
}

function isSomething<Found>(found: Found): found is Exclude<Found, false | null | undefined> {
  return found !== undefined && found !== false && found !== null
}
