import { executionAsyncResource } from 'node:async_hooks'

/** What a process has one of. Not a promise of it: on Node 22 that would have the context it was made in. */
let kept: object | undefined

/**
 * Keeps one object of those that `process.nextTick` makes, and makes every later tick of a process that lives long five
 * to ten times as cheap: V8 remembers the shape of these objects as long as there is one, a server at rest has none, and
 * after three whole garbage collections without one `nextTick` builds each by its slowest way for good.
 * @returns what is kept; undefined within the tick of the first call
 * @see docs/decisions/0751
 */
export function keepTickShape(): object | undefined {
  if (kept === undefined) process.nextTick(keepTick)
  return kept
}

/** Within a tick, what runs is the tick's own object. */
function keepTick(): void {
  kept = executionAsyncResource()
  forgetContext(kept)
}

/**
 * Lets go of the async context of whoever called, which may be that of a request; Node has read it by now. It is one
 * member, on Node 22 one for each `AsyncLocalStorage` with whatever that holds; hooks of others may have put more. Numbers
 * are Node's own: they hold nothing.
 */
function forgetContext(tick: object): void {
  for (const name of Object.getOwnPropertySymbols(tick)) {
    if (typeof Reflect.get(tick, name) !== 'number') Reflect.set(tick, name, undefined)
  }
}
