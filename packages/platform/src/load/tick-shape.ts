import { executionAsyncResource } from 'node:async_hooks'

/** What a process has one of. */
let kept: Promise<object> | undefined

/**
 * Keeps one object of those that `process.nextTick` makes, answers it, and makes every later tick of a process that lives
 * long five to ten times as cheap: V8 remembers the shape of these objects as long as there is one, a server at rest has
 * none, and after three whole garbage collections without one `nextTick` builds each by its slowest way for good.
 * @see docs/decisions/0751
 */
export function keepTickShape(): Promise<object> {
  kept ??= new Promise((resolve) => {
    // Within a tick, what runs is the tick's own object.
    process.nextTick(() => resolve(executionAsyncResource()))
  })
  return kept
}
