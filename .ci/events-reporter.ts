import { appendFileSync } from 'node:fs'
import { reporters, type Runner, type Test } from 'mocha'

/** One line of the file named by `SVC_TEST_EVENTS`: what the runner of the suites needs, also when a suite hangs. */
export interface TestEvent {
  readonly type: 'begin' | 'pass' | 'fail' | 'pending' | 'end'
  readonly title: string
}

/** A mocha reporter that prints failures at once and nothing else, and writes events to a file. */
class EventsReporter {
  constructor(runner: Runner) {
    const file = process.env['SVC_TEST_EVENTS'] ?? ''
    const note = (type: TestEvent['type'], title: string): void => {
      const event: TestEvent = { type, title }
      appendFileSync(file, `${JSON.stringify(event)}\n`)
    }
    runner.on('test', (test) => note('begin', test.fullTitle()))
    runner.on('pass', (test) => note('pass', test.fullTitle()))
    runner.on('pending', (test) => note('pending', test.fullTitle()))
    runner.on('fail', (test, error: unknown) => {
      note('fail', test.fullTitle())
      // What the printer reads; mocha sets it on a hook's failure only after this event.
      const failed = Object.assign(test, { err: error }) as Test
      reporters.Base.list([failed])
    })
    runner.once('end', () => note('end', ''))
  }
}

// mocha loads a reporter with require() and expects the class itself.
export { EventsReporter as 'module.exports' }
