import type { Instance } from '@svc/platform'
import type { Counters, Subjects } from './counters.ts'

/** What a request costs its limits, counted once: a call together with its address, in one round of writes. */
export class Admission {
  readonly #counters: Counters
  readonly #instance: Instance
  readonly #subjects: Subjects
  #request: Promise<void> | undefined
  #call: Promise<void> | undefined

  constructor(counters: Counters, instance: Instance, subjects: Subjects) {
    this.#counters = counters
    this.#instance = instance
    this.#subjects = subjects
  }

  /** Counts the request. @throws McpError `mcp_too_many_calls` */
  request(): Promise<void> {
    this.#request ??= this.#counters.hitAddress(this.#instance, this.#subjects.address)
    return this.#request
  }

  /** Counts the request and its call. @throws ToolError `limit_reached`; McpError `mcp_too_many_calls` */
  call(isWrite: boolean): Promise<void> {
    this.#call ??= this.#both(isWrite)
    return this.#call
  }

  async #both(isWrite: boolean): Promise<void> {
    const { grantId } = this.#subjects
    await Promise.all([this.request(), this.#counters.hitCall(this.#instance, grantId, isWrite)])
  }
}
