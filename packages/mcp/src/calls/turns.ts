import { CALLS_AT_A_TIME, TURN_WAIT_MS } from '../limits.ts'
import { ToolError } from '../tool-error.ts'

interface Waiting {
  readonly start: () => void
}

interface Running {
  calls: number
  readonly waiting: Set<Waiting>
}

/** A few calls of a grant at a time; the rest wait a moment for their turn. @see assistants.md 6.8 */
export class Turns {
  readonly #running = new Map<string, Running>()

  /** @throws ToolError `limit_reached` when no turn came */
  async take<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(name) ?? { calls: 0, waiting: new Set<Waiting>() }
    this.#running.set(name, running)
    if (running.calls < CALLS_AT_A_TIME) running.calls += 1
    else await waitForTurn(running)
    try {
      return await run()
    } finally {
      this.#giveOn(name, running)
    }
  }

  #giveOn(name: string, running: Running): void {
    const [next] = running.waiting
    if (next !== undefined) {
      // The place goes over: the number of calls stays.
      running.waiting.delete(next)
      next.start()
      return
    }
    running.calls -= 1
    if (running.calls === 0) this.#running.delete(name)
  }
}

function waitForTurn({ waiting }: Running): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      waiting.delete(one)
      reject(new ToolError('limit_reached', { retryAfterSeconds: 2 }))
    }, TURN_WAIT_MS)
    const one: Waiting = {
      start() {
        clearTimeout(timer)
        resolve()
      },
    }
    waiting.add(one)
  })
}
