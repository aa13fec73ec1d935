/**
 * A process that runs test files one after another, as the messages of its parent name them: modules load once, instead
 * of once a file. After each file everything that it opened has to be closed.
 */
import { setTimeout as delay } from 'node:timers/promises'
import Mocha, { type Runnable, type Runner } from 'mocha'
import { mochaHooks } from '../packages/testkit/src/after-test.ts'
import '../packages/testkit/src/scale-timeouts.ts'
import { setSlowness } from '../packages/testkit/src/time-budget.ts'
import '../packages/testkit/src/whole-values.ts'
import { startRecording, stopRecording } from './record/hook.ts'
import type { TestEvent, TestOrder } from './test-events.ts'

/** Of a test or hook that names no other; milliseconds on a quiet machine. */
const TIMEOUT_MS = 10_000
/** Between two looks at what is still open. */
const LOOK_MS = 20
/** What the last lines of a run say of each failure. */
const MESSAGE_CHARACTERS = 1200

class Reporter extends Mocha.reporters.Base {
  constructor(runner: Runner) {
    super(runner)
    const begin = (runnable: Runnable): void =>
      send({ type: 'begin', title: runnable.fullTitle(), limitMs: runnable.timeout() })
    runner.on('hook', begin)
    runner.on('test', begin)
    runner.on('pass', (test) => send({ type: 'pass', title: test.fullTitle() }))
    runner.on('pending', (test) => send({ type: 'pending', title: test.fullTitle() }))
    runner.on('fail', (test, error: unknown) => {
      const message = error instanceof Error ? error.message : String(error)
      const line = message.replaceAll(/\s+/g, ' ').slice(0, MESSAGE_CHARACTERS)
      send({ type: 'fail', title: test.fullTitle(), message: line })
      // What the printer reads; mocha sets it on a hook's failure only after this event.
      Mocha.reporters.Base.list([Object.assign(test, { err: error }) as Mocha.Test])
    })
  }
}

// Before the tests load: see main.ts of the record.
if (process.env['RECORD_REDIS'] !== undefined) await import('./record/on-redis.ts')
let before = open()
process.on('message', (order: TestOrder) => void run(order))

async function run({ file, folder, slowness, graceMs, answers }: TestOrder): Promise<void> {
  setSlowness(slowness)
  process.chdir(folder)
  if (answers !== undefined) startRecording(answers)
  before = open()
  const cpu = process.cpuUsage()
  const mocha = new Mocha({
    forbidOnly: true,
    reporter: Reporter,
    rootHooks: mochaHooks,
    timeout: TIMEOUT_MS,
  })
  mocha.addFile(file)
  let fault = ''
  try {
    await mocha.loadFilesAsync()
    await new Promise((resolve) => mocha.run(resolve))
  } catch (error) {
    fault = error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
  mocha.dispose()
  if (answers !== undefined) stopRecording()
  send({ type: 'end', title: fault })
  const stays = await whatStaysOpen(graceMs)
  const { user, system } = process.cpuUsage(cpu)
  send({ type: 'closed', title: stays, cpuMs: (user + system) / 1000 })
}

/** What the file opened and did not close within that time, by kind: it would keep a process from ending. */
async function whatStaysOpen(graceMs: number): Promise<string> {
  const until = performance.now() + graceMs
  for (;;) {
    const more = [...open()].filter(([kind, count]) => count > (before.get(kind) ?? 0))
    if (more.length === 0) return ''
    if (performance.now() > until) {
      return more.map(([kind, count]) => `${count - (before.get(kind) ?? 0)} ${kind}`).join(', ')
    }
    await delay(LOOK_MS, undefined, { ref: false })
  }
}

/** What keeps this process alive. */
function open(): Map<string, number> {
  const kinds = Map.groupBy(process.getActiveResourcesInfo(), (kind) => kind)
  return new Map([...kinds].map(([kind, all]) => [kind, all.length]))
}

function send(event: TestEvent): void {
  process.send?.(event)
}
