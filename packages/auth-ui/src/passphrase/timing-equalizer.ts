import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'

const KEPT = 16
const LONGEST_MS = 10_000

/**
 * Hides in the time of an answer whether there was something to do. Sending a mail takes as long as the mail server
 * likes: no constant fits. The latest times that it really took are kept, and doing nothing takes one of them, picked
 * at random. Machine time, not that of the clock port.
 */
export class TimingEqualizer {
  readonly #tookMs: number[] = []

  /** Runs work that says whether it did something; when not, a time is waited out that doing it lately took. */
  async run(work: () => Promise<boolean>): Promise<void> {
    const tookMs = this.#tookMs
    const startedAt = performance.now()
    const isDone = await work()
    const elapsedMs = performance.now() - startedAt
    if (isDone) {
      tookMs.push(Math.min(elapsedMs, LONGEST_MS))
      if (tookMs.length > KEPT) tookMs.shift()
      return
    }
    const usualMs = tookMs.length === 0 ? 0 : (tookMs[randomInt(tookMs.length)] ?? 0)
    const restMs = Math.round(usualMs - elapsedMs)
    if (restMs > 0) await wait(restMs)
  }
}
