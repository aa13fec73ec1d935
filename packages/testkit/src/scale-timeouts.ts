/** Loaded by mocha before any test: every timeout of a test or a hook is a time budget. */
import { Runnable } from 'mocha'
import { timeBudget } from './time-budget.ts'

/**
 * Mocha has no setting for a factor. It reads the timeout of a test or hook in one place, through this method without
 * an argument, when the test or hook begins: what `.mocharc.json`, a suite or a test set is scaled there, once.
 */
const timeout: (this: Runnable, ...given: [] | [number | string]) => unknown =
  Runnable.prototype.timeout

Object.assign(Runnable.prototype, {
  timeout(this: Runnable, ...given: [] | [number | string]): unknown {
    const answer = timeout.apply(this, given)
    return typeof answer === 'number' ? timeBudget(answer) : answer
  },
})
