import type { DataPort } from './data-port.ts'

export interface DataToolsOptions {
  readonly data: DataPort
  /** What is offered. */
  readonly kinds: readonly string[]
  /** Whether anything can be written. */
  readonly writes: boolean
  readonly clock: { now(): number }
}
