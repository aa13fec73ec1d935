import type { RateLimits } from '../rate-limits.ts'
import type { RouteContext } from './request-state.ts'

/** Whose counter of a bucket a request is counted on; the function's name is printed in the documents. */
export type LimitSubject = (ctx: RouteContext) => string

/** A limit that the router keeps: it reserves before the handler and settles after it. */
export interface EnforcedLimit {
  readonly bucket: string
  /** @defaultValue one counter for the whole instance */
  readonly by?: LimitSubject
  /**
   * `requests`: every request that reaches the handler. `refusals`: those it answers with an error. A list: those it
   * answers with one of these codes. What does not count is given back afterwards, so that parallel guesses cannot pass
   * together.
   */
  readonly counts: 'requests' | 'refusals' | readonly string[]
}

/** A limit that is asked in the middle of a rule, since only there it is known what counts. */
export interface LimitInRule {
  readonly bucket: string
  /** What counts, and where it is asked: words of the reference. */
  readonly inRule: string
}

/**
 * A rate limit of a row: one that the router keeps, or the words about one that a handler asks itself.
 * @example
 * const limit: RouteLimit = { bucket: 'posts', counts: 'requests' }
 */
export type RouteLimit = EnforcedLimit | LimitInRule

/** Whether the router itself keeps the limit. */
export function isEnforced(limit: RouteLimit): limit is EnforcedLimit {
  return !('inRule' in limit)
}

/**
 * Runs the handler within the limits of its row. They are reserved in their order; what was reserved is given back when
 * a later one refuses, since the request did not happen.
 * @throws what `limits` throws over a limit; what the handler throws
 */
export async function runWithinLimits(
  ctx: RouteContext,
  enforced: readonly EnforcedLimit[],
  limits: RateLimits<string>,
  handler: () => Promise<void> | void,
): Promise<void> {
  const { instance } = ctx.state
  const reserved: { readonly limit: EnforcedLimit; readonly subject: string | undefined }[] = []
  const giveBack = async (of: (limit: EnforcedLimit) => boolean): Promise<void> => {
    for (const { limit, subject } of reserved) {
      if (of(limit)) await limits.release(instance, limit.bucket, subject)
    }
  }
  for (const limit of enforced) {
    const subject = limit.by?.(ctx)
    try {
      await limits.hit(instance, limit.bucket, subject)
    } catch (error) {
      await giveBack(() => true)
      throw error
    }
    reserved.push({ limit, subject })
  }
  try {
    await handler()
  } catch (error) {
    const code = (error as { readonly code?: unknown } | undefined)?.code
    await giveBack(({ counts }) => typeof counts === 'object' && !counts.includes(String(code)))
    throw error
  }
  if (ctx.status < 400) await giveBack(({ counts }) => counts !== 'requests')
}
