const FIRST_MS = 1000
const LONGEST_MS = 5 * 60 * 1000

/** How long a failed wake-up waits before it comes again, milliseconds: doubling from 1 s to 5 min. */
export function retryDelayMs(attempts: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempts - 1, 20))
}
