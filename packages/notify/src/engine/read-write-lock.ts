/** Runs some things only while nothing else has just begun. */
export interface SoloRuns {
  /** Beside others. */
  together(run: () => Promise<void>): Promise<void>
  /** When those that have just begun have ended or settled; what comes meanwhile waits. */
  alone(run: () => Promise<void>): Promise<void>
  /** Whether something runs alone, or waits for that: nothing new should begin. */
  isClosed(): boolean
}

/**
 * A run settles when it has gone on for this long: by then it waits for somebody else's server, and what ends a process
 * while a notification is written has done so. A template has 200 ms. Milliseconds.
 */
const SETTLED_MS = 300

export function createSoloRuns(
  options: {
    /** Told when new things may begin again. */
    readonly onOpen?: () => void
    /** @defaultValue 300 ms */
    readonly settledMs?: number
  } = {},
): SoloRuns {
  const { onOpen, settledMs = SETTLED_MS } = options
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

  /** Ends its share, once: when it has settled, or with the run. */
  async function untilSettled(run: () => Promise<void>, end: () => void): Promise<void> {
    let isOver = false
    const endOnce = (): void => {
      if (isOver) return
      isOver = true
      end()
      advance()
      if (!isClosed()) onOpen?.()
    }
    const timer = setTimeout(endOnce, settledMs)
    try {
      await run()
    } finally {
      clearTimeout(timer)
      endOnce()
    }
  }

  return {
    isClosed,

    async together(run) {
      await turnIn(waitingTogether)
      await untilSettled(run, () => {
        companions -= 1
      })
    },

    async alone(run) {
      await turnIn(waitingAlone)
      await untilSettled(run, () => {
        isAlone = false
      })
    },
  }
}
