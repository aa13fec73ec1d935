import { MINUTE_MS } from '@svc/platform'

const COUNT_EVERY_MS = 5 * MINUTE_MS

/** Something of which there may be many: counted beside the scrapes, at most every five minutes. */
export class SlowCount {
  readonly #countAll: () => Promise<number>
  #count: number | undefined
  #countedAt = Number.NEGATIVE_INFINITY
  #counting: Promise<void> | undefined

  constructor(countAll: () => Promise<number>) {
    this.#countAll = countAll
  }

  /** The first count is waited for; later ones are shown with the next scrape. */
  async current(): Promise<number | undefined> {
    if (this.#counting === undefined && performance.now() - this.#countedAt > COUNT_EVERY_MS) {
      this.#counting = this.#recount().finally(() => {
        this.#counting = undefined
      })
    }
    if (this.#count === undefined) await this.#counting
    return this.#count
  }

  async #recount(): Promise<void> {
    try {
      this.#count = await this.#countAll()
    } catch {
      // A store that is away is told by other figures; the last count stays.
    }
    this.#countedAt = performance.now()
  }
}
