/** A read-write lock over runs: some need to be alone with those that have just begun. */
export interface ReadWriteLock {
  /** Runs beside others. */
  shared(run: () => Promise<void>): Promise<void>
  /** Runs once those that have just begun have ended or settled; what comes meanwhile waits. */
  exclusive(run: () => Promise<void>): Promise<void>
  /** Whether something runs alone, or waits for that: nothing new should begin. */
  isClosed(): boolean
}

/**
 * A run settles when it has gone on for this long: by then it waits for somebody else's server, and what ends a process
 * while a notification is written has done so. A template has 200 ms. Milliseconds.
 */
const SETTLED_MS = 300

export function createReadWriteLock(
  options: {
    /** Told when new things may begin again. */
    readonly onOpen?: () => void
    /** @defaultValue 300 ms */
    readonly settledMs?: number
  } = {},
): ReadWriteLock {
  const { onOpen, settledMs = SETTLED_MS } = options
  const waitingExclusive: (() => void)[] = []
  const waitingShared: (() => void)[] = []
  let sharing = 0
  let isExclusive = false

  const isClosed = (): boolean => isExclusive || waitingExclusive.length > 0

  function advance(): void {
    if (isExclusive) return
    if (waitingExclusive.length > 0) {
      if (sharing > 0) return
      isExclusive = true
      waitingExclusive.shift()?.()
      return
    }
    for (const start of waitingShared.splice(0)) {
      sharing += 1
      start()
    }
  }

  function enter(queue: (() => void)[]): Promise<void> {
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

    async shared(run) {
      await enter(waitingShared)
      await untilSettled(run, () => {
        sharing -= 1
      })
    },

    async exclusive(run) {
      await enter(waitingExclusive)
      await untilSettled(run, () => {
        isExclusive = false
      })
    },
  }
}
