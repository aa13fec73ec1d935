import { MINUTE_MS } from '@svc/platform'
import type { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { bucketsOf, instrument } from './metric-table.ts'
import type { StoreObserver } from './observed-store.ts'

interface PromClasses {
  readonly Counter: typeof Counter
  readonly Gauge: typeof Gauge
  readonly Histogram: typeof Histogram
}

/** What the store did, kept from the first time somebody asks. */
export class StoreFigures implements StoreObserver {
  #seconds: Histogram<'operation'> | undefined
  #errors = new Map<string, number>()
  #gaps = 0
  #handling = 0
  /** Wake-ups of the last minute: when they came, and how late. */
  #late: { readonly at: number; readonly lateMs: number }[] = []

  done(operation: string, seconds: number, failure?: 'other' | 'unavailable'): void {
    this.#seconds?.observe({ operation }, seconds)
    if (failure !== undefined) this.#errors.set(failure, (this.#errors.get(failure) ?? 0) + 1)
  }

  woken(lateMs: number): () => void {
    this.#handling += 1
    this.#forget()
    const latest = this.#late.at(-1)
    // Only what is later than all that follow can ever be the latest.
    if (latest !== undefined && latest.lateMs <= lateMs) this.#late.pop()
    this.#late.push({ at: performance.now(), lateMs })
    return () => {
      this.#handling -= 1
    }
  }

  gap(): void {
    this.#gaps += 1
  }

  register({ Counter, Gauge, Histogram }: PromClasses, registry: Registry): void {
    const registers = [registry]
    const read = (): { errors: ReadonlyMap<string, number>; gaps: number } => ({
      errors: this.#errors,
      gaps: this.#gaps,
    })
    const handling = (): number => this.#handling
    const late = (): number => this.#latestMs() / 1000
    this.#seconds = new Histogram({
      ...instrument<'operation'>('svc_store_seconds'),
      buckets: bucketsOf('svc_store_seconds'),
      registers,
    })
    new Counter({
      ...instrument<'kind'>('svc_store_errors_total'),
      registers,
      collect() {
        this.reset()
        for (const [kind, count] of read().errors) this.inc({ kind }, count)
      },
    })
    new Counter({
      ...instrument('svc_bus_gaps_total'),
      registers,
      collect() {
        this.reset()
        this.inc(read().gaps)
      },
    })
    new Gauge({
      ...instrument('svc_scheduler_due'),
      registers,
      collect() {
        this.set(handling())
      },
    })
    new Gauge({
      ...instrument('svc_scheduler_late_seconds'),
      registers,
      collect() {
        this.set(late())
      },
    })
  }

  #latestMs(): number {
    this.#forget()
    return Math.max(0, ...this.#late.map(({ lateMs }) => lateMs))
  }

  #forget(): void {
    const oldest = performance.now() - MINUTE_MS
    this.#late = this.#late.filter(({ at }) => at >= oldest)
  }
}
