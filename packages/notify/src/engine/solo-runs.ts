/** Runs some things only while nothing else runs. */
export interface SoloRuns {
  /** Beside others. */
  together(run: () => Promise<void>): Promise<void>
  /** When those under way have ended; what comes meanwhile waits. */
  alone(run: () => Promise<void>): Promise<void>
  /** Whether something runs alone, or waits for that: nothing new should begin. */
  isClosed(): boolean
}

export function createSoloRuns(): SoloRuns {
  const waitingAlone: (() => void)[] = []
  const waitingTogether: (() => void)[] = []
  let companions = 0
  let isAlone = false

  const isClosed = (): boolean => isAlone || waitingAlone.length > 0

  function advance(): void {
    if (isAlone) return
    if (waitingAlone.length > 0) {
      if (companions > 0) return
      isAlone = true
      waitingAlone.shift()?.()
      return
    }
    for (const start of waitingTogether.splice(0)) {
      companions += 1
      start()
    }
  }

  function turnIn(queue: (() => void)[]): Promise<void> {
    return new Promise((resolve) => {
      queue.push(resolve)
      advance()
    })
  }

  return {
    isClosed,

    async together(run) {
      await turnIn(waitingTogether)
      try {
        await run()
      } finally {
        companions -= 1
        advance()
      }
    },

    async alone(run) {
      await turnIn(waitingAlone)
      try {
        await run()
      } finally {
        isAlone = false
        advance()
      }
    },
  }
}
