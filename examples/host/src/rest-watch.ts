import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { giveBackMemory } from './give-back.ts'

const LOOK_MS = 20_000
/** More than this share of the time between two looks is work, and less is rest. */
const WORK_SHARE = 0.05

/**
 * Has memory given back once after each time of work, when the process rests: V8 would keep what the work left until as
 * much again was made.
 * @see docs/decisions/0438, 0714
 */
export class RestWatch {
  readonly #share: () => number
  readonly #giveBack: () => void
  #hasWorked = false

  /** @param share - of the time since it was asked last, how much was work: 0 to 1 */
  constructor(share: () => number = shareOfWork(), giveBack: () => void = giveBackMemory) {
    this.#share = share
    this.#giveBack = giveBack
  }

  look(): void {
    const isWorking = this.#share() > WORK_SHARE
    if (this.#hasWorked && !isWorking) this.#giveBack()
    this.#hasWorked = isWorking
  }

  /** Looks again and again. @returns what ends it */
  start(): () => void {
    const timer = setInterval(() => this.look(), LOOK_MS)
    timer.unref()
    return () => clearInterval(timer)
  }
}

/** How much of the time the event loop worked. */
function shareOfWork(): () => number {
  let before: EventLoopUtilization = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    return utilization
  }
}
