/** What further requests may take of a turn before others get theirs, milliseconds. */
const TURN_MS = 4
/** Further requests are not kept waiting longer than this, however many connections come. Milliseconds. */
const LONGEST_MS = 250

/**
 * The requests that clients sent ahead, of all connections of a server. Node accepts one connection in each turn of its
 * loop; if each of some hundred connections had its next request handled in every turn, whoever comes would wait until
 * all are answered. So they are handled in turns in which nobody came, and a few at a time.
 */
export class FollowUps {
  readonly #starts: (() => void)[] = []
  #isScheduled = false
  #hasSomebodyCome = false
  #waitingSince = 0

  /** A connection was accepted in this turn. */
  somebodyCame(): void {
    this.#hasSomebodyCome = true
  }

  /** Calls `start` in a later turn. */
  add(start: () => void): void {
    if (this.#starts.length === 0) this.#waitingSince = performance.now()
    this.#starts.push(start)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#run()
      if (this.#starts.length > 0) this.#schedule()
    })
  }

  #run(): void {
    const now = performance.now()
    const hasSomebodyCome = this.#hasSomebodyCome
    this.#hasSomebodyCome = false
    if (hasSomebodyCome && now - this.#waitingSince < LONGEST_MS) return
    this.#waitingSince = now
    // Those that these bring about are for the next turn.
    for (let left = this.#starts.length; left > 0; left -= 1) {
      this.#starts.shift()?.()
      if (performance.now() - now > TURN_MS) return
    }
  }
}
