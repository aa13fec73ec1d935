import { appendFileSync } from 'node:fs'
import { reporters, type Runnable, type Runner, type Test } from 'mocha'

/** One line of the file named by `SVC_TEST_EVENTS`: what the runner of the suites needs, also when a suite hangs. */
export interface TestEvent {
  readonly type: 'begin' | 'pass' | 'fail' | 'pending' | 'end' | 'open'
  /** Of the test or the hook; for `open`, what keeps the process from ending. */
  readonly title: string
  /** Of a `fail`: on one line. */
  readonly message?: string
  /** Of a `begin`: how long mocha lets it run, milliseconds. */
  readonly limitMs?: number
}

/** After this long a process that still runs says why, milliseconds. */
const OPEN_AFTER_MS = 1000

/** What the last lines of a run say of each failure. */
const MESSAGE_CHARACTERS = 1200

/** A mocha reporter that prints failures at once and nothing else, and writes events to a file. */
class EventsReporter {
  constructor(runner: Runner) {
    const file = process.env['SVC_TEST_EVENTS'] ?? ''
    const note = (
      type: TestEvent['type'],
      title: string,
      more: Pick<TestEvent, 'message' | 'limitMs'> = {},
    ): void => {
      const event: TestEvent = { type, title, ...more }
      appendFileSync(file, `${JSON.stringify(event)}\n`)
    }
    const begin = (runnable: Runnable): void =>
      note('begin', runnable.fullTitle(), { limitMs: runnable.timeout() })
    runner.on('hook', begin)
    runner.on('test', begin)
    runner.on('pass', (test) => note('pass', test.fullTitle()))
    runner.on('pending', (test) => note('pending', test.fullTitle()))
    runner.on('fail', (test, error: unknown) => {
      const message = error instanceof Error ? error.message : String(error)
      const line = message.replaceAll(/\s+/g, ' ').slice(0, MESSAGE_CHARACTERS)
      note('fail', test.fullTitle(), { message: line })
      // What the printer reads; mocha sets it on a hook's failure only after this event.
      const failed = Object.assign(test, { err: error }) as Test
      reporters.Base.list([failed])
    })
    runner.once('end', () => {
      note('end', '')
      setTimeout(() => note('open', whatIsOpen()), OPEN_AFTER_MS).unref()
    })
  }
}

/** What Node waits for, with how many of each. */
function whatIsOpen(): string {
  const kinds = Map.groupBy(process.getActiveResourcesInfo(), (kind) => kind)
  return [...kinds].map(([kind, all]) => `${all.length} ${kind}`).join(', ')
}

// mocha loads a reporter with require() and expects the class itself.
export { EventsReporter as 'module.exports' }
