import { randomUUID } from 'node:crypto'

/** How far a job is. */
export type Job<Result> =
  | { readonly state: 'running' }
  | { readonly state: 'done'; readonly result: Result }
  | { readonly state: 'failed'; readonly error: Error }

/** Jobs that are remembered after their end. */
const KEPT = 20

/** Work of this process that takes longer than a request may. */
export class Jobs<Result> {
  readonly #jobs = new Map<string, Job<Result>>()

  /** @returns the name of the job */
  begin(work: Promise<Result>): string {
    const id = randomUUID()
    this.#keep(id, { state: 'running' })
    void work.then(
      (result) => this.#keep(id, { state: 'done', result }),
      (error: Error) => this.#keep(id, { state: 'failed', error }),
    )
    return id
  }

  get(id: string): Job<Result> | undefined {
    return this.#jobs.get(id)
  }

  #keep(id: string, job: Job<Result>): void {
    this.#jobs.set(id, job)
    const [oldest] = this.#jobs.keys()
    if (this.#jobs.size > KEPT && oldest !== undefined) this.#jobs.delete(oldest)
  }
}
