/**
 * A run settles when it has gone on for this long: by then it waits for a remote server, and what ends a process
 * while a notification is written has done so. A template has 200 ms. Milliseconds.
 */
const SETTLED_MS = 300

export interface ReadWriteLockOptions {
  /** Told when new things may begin again. */
  readonly onOpen?: () => void
  /** @defaultValue 300 ms */
  readonly settledMs?: number
}

/** A read-write lock over runs: some need to be alone with those that have just begun. */
export class ReadWriteLock {
  readonly #options: ReadWriteLockOptions
  readonly #waitingExclusive: (() => void)[] = []
  readonly #waitingShared: (() => void)[] = []
  #sharing = 0
  #isExclusive = false

  constructor(options: ReadWriteLockOptions = {}) {
    this.#options = options
  }

  /** Runs beside others. */
  async shared(run: () => Promise<void>): Promise<void> {
    await this.#enter(this.#waitingShared)
    await this.#untilSettled(run, () => {
      this.#sharing -= 1
    })
  }

  /** Runs once those that have just begun have ended or settled; what comes meanwhile waits. */
  async exclusive(run: () => Promise<void>): Promise<void> {
    await this.#enter(this.#waitingExclusive)
    await this.#untilSettled(run, () => {
      this.#isExclusive = false
    })
  }

  /** Whether something runs alone, or waits for that: nothing new should begin. */
  isClosed(): boolean {
    return this.#isExclusive || this.#waitingExclusive.length > 0
  }

  #enter(queue: (() => void)[]): Promise<void> {
    return new Promise((resolve) => {
      queue.push(resolve)
      this.#advance()
    })
  }

  #advance(): void {
    if (this.#isExclusive) return
    if (this.#waitingExclusive.length > 0) {
      if (this.#sharing > 0) return
      this.#isExclusive = true
      this.#waitingExclusive.shift()?.()
      return
    }
    for (const start of this.#waitingShared.splice(0)) {
      this.#sharing += 1
      start()
    }
  }

  /** Ends its share, once: when it has settled, or with the run. */
  async #untilSettled(run: () => Promise<void>, end: () => void): Promise<void> {
    const { onOpen, settledMs = SETTLED_MS } = this.#options
    let isOver = false
    const endOnce = (): void => {
      if (isOver) return
      isOver = true
      end()
      this.#advance()
      if (!this.isClosed()) onOpen?.()
    }
    const timer = setTimeout(endOnce, settledMs)
    try {
      await run()
    } finally {
      clearTimeout(timer)
      endOnce()
    }
  }
}
