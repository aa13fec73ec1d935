/** Seconds that calls took, as metrics count them. */
export const CALL_SECONDS: readonly number[] = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5]

/** What was called since the process began. */
export interface McpFigures {
  readonly calls: readonly {
    readonly tool: string
    readonly outcome: string
    readonly count: number
  }[]
  /** How many took at most the seconds of {@link CALL_SECONDS}, each with those before it; the last is all of them. */
  readonly buckets: readonly number[]
  readonly seconds: number
  readonly documents: { readonly read: number; readonly write: number }
}

/** Counts calls for whoever watches the server. No label names a client or an instance. @see assistants.md 7.3 */
export class FigureCounter {
  readonly #calls = new Map<string, { tool: string; outcome: string; count: number }>()
  readonly #buckets: number[] = Array.from({ length: CALL_SECONDS.length + 1 }, () => 0)
  readonly #documents = { read: 0, write: 0 }
  #seconds = 0

  note(call: {
    readonly tool: string
    readonly outcome: string
    readonly seconds: number
    readonly documents: number
    readonly isWrite: boolean
  }): void {
    const { tool, outcome, seconds } = call
    const name = `${tool} ${outcome}`
    const known = this.#calls.get(name) ?? { tool, outcome, count: 0 }
    known.count += 1
    this.#calls.set(name, known)
    this.#seconds += seconds
    this.#documents[call.isWrite ? 'write' : 'read'] += call.documents
    const first = CALL_SECONDS.findIndex((most) => seconds <= most)
    const from = first === -1 ? CALL_SECONDS.length : first
    for (let at = from; at < this.#buckets.length; at += 1) {
      this.#buckets[at] = (this.#buckets[at] ?? 0) + 1
    }
  }

  get figures(): McpFigures {
    return {
      calls: [...this.#calls.values()].map((one) => ({ ...one })),
      buckets: [...this.#buckets],
      seconds: this.#seconds,
      documents: { ...this.#documents },
    }
  }
}
