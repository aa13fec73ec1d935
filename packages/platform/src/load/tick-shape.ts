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
    process.nextTick(() => {
      // Within a tick, what runs is the tick's own object.
      const tick = executionAsyncResource()
      forgetContext(tick)
      resolve(tick)
    })
  })
  return kept
}

/** Lets go of the async context of whoever called, which may be that of a request; Node has read it by now. */
function forgetContext(tick: object): void {
  for (const name of Object.getOwnPropertySymbols(tick)) {
    if (typeof Reflect.get(tick, name) === 'object') Reflect.set(tick, name, undefined)
  }
}
