import type { Instance } from '@svc/platform'
import { ToolError } from '../tool-error.ts'
import type { Counters, Subjects } from './counters.ts'

/**
 * What a request costs its limits, counted once. Far from every limit a call that reads is counted beside its entry: one
 * write of the store instead of two (docs/decisions/0585).
 */
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

  /** Whether the call may be counted after its work. */
  isFarFromLimits(): Promise<boolean> {
    return this.#counters.isFarFromLimits(this.#instance, this.#subjects)
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

  /** The same, where the call is refused in words of its own anyway. @throws McpError */
  async refusedCall(isWrite: boolean): Promise<void> {
    try {
      await this.call(isWrite)
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
    }
  }

  async #both(isWrite: boolean): Promise<void> {
    const { grantId } = this.#subjects
    await Promise.all([this.request(), this.#counters.hitCall(this.#instance, grantId, isWrite)])
  }
}
