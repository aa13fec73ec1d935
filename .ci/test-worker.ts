import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { slowness, timeBudget } from '../packages/testkit/src/time-budget.ts'
import { endGroup, endWithUs, type Result } from './step.ts'
import type { TestEvent, TestOrder } from './test-events.ts'

/** A file of tests. */
export interface TestFile {
  /** Its suite, such as `@svc/store unit`. */
  readonly suite: string
  /** The package's folder, absolute. */
  readonly folder: string
  /** Below that folder. */
  readonly file: string
  /** Of the process that runs it. */
  readonly env: Readonly<Record<string, string>>
  /** Start of the names of files that the answers of its servers are noted in. Absent: they are not. */
  readonly answers?: string
}

/** Milliseconds on a quiet machine. */
export interface Patience {
  /**
   * How long a file may report nothing beyond the timeout of the test or hook that it is in. Mocha ends and names what
   * waits for too long; this is for what leaves mocha no turn, and for files that do not load.
   */
  readonly silenceMs: number
  /** How long what a file opened may stay open after its last test. */
  readonly graceMs: number
}

const PATIENCE: Patience = { silenceMs: 60_000, graceMs: 10_000 }
const LOOK_MS = 200
/** Files that one process runs at most: what they leave in memory, and in modules, stays bounded. */
const MOST_FILES = 25

/** Runs files of tests one after another in a process of its own, which a file that breaks it does not outlive. */
export class TestWorker {
  #child: ChildProcess | undefined
  #env = ''
  #files = 0
  #release = (): void => {}
  readonly #patience: Patience

  constructor(patience = PATIENCE) {
    this.#patience = patience
  }

  /** `print` shows what the file prints. */
  async run(test: TestFile, print: (chunk: Buffer) => void): Promise<Result> {
    const start = performance.now()
    const child = await this.#start(test.env)
    const reasons = new Set<string>()
    const events: TestEvent[] = []
    let heardAt = performance.now()
    const printErrors = (chunk: Buffer): void => {
      for (const [, reason = ''] of chunk.toString().matchAll(/^skipped: (.*)$/gm)) {
        reasons.add(reason.replace(/ "before (all|each)" hook( for| in) "[^"]*"/, ''))
      }
      print(chunk)
    }
    child.stdout?.on('data', print)
    child.stderr?.on('data', printErrors)
    const ended = new Promise<string | undefined>((resolve) => {
      const watch = setInterval(() => {
        const silentMs = performance.now() - heardAt
        const limitMs = events.at(-1)?.limitMs ?? 0
        if (silentMs > limitMs + timeBudget(this.#patience.silenceMs)) {
          settle(`nothing happened for ${Math.round(silentMs / 1000)} s`)
        }
      }, LOOK_MS)
      const settle = (fault?: string): void => {
        clearInterval(watch)
        child.removeAllListeners('message').removeAllListeners('exit')
        resolve(fault)
      }
      child.on('message', (event: TestEvent) => {
        events.push(event)
        heardAt = performance.now()
        if (event.type === 'closed') settle()
      })
      child.once('exit', (code, signal) => settle(`the process ended with ${signal ?? code}`))
    })
    const order: TestOrder = {
      file: path.join(test.folder, test.file),
      folder: test.folder,
      slowness: slowness(),
      graceMs: timeBudget(this.#patience.graceMs),
      ...(test.answers !== undefined && { answers: test.answers }),
    }
    child.send(order)
    const fault = await ended
    child.stdout?.off('data', print)
    child.stderr?.off('data', printErrors)
    const judged = judge(events, fault)
    // What a file left open must not disturb the next one.
    if (judged.fault !== undefined) await this.close()
    return {
      name: test.suite,
      file: test.file,
      durationMs: performance.now() - start,
      cpuMs: events.find(({ type }) => type === 'closed')?.cpuMs ?? 0,
      reasons: [...reasons],
      ...judged,
    }
  }

  /** Ends the process and everything that it started. */
  async close(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    this.#child = undefined
    this.#release()
    const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null
    endGroup(child)
    await gone
  }

  async #start(env: Readonly<Record<string, string>>): Promise<ChildProcess> {
    const key = JSON.stringify(env)
    this.#files += 1
    if (key !== this.#env || this.#files > MOST_FILES) await this.close()
    if (this.#child !== undefined) return this.#child
    this.#env = key
    this.#files = 1
    const child = spawn(
      process.execPath,
      ['--conditions=source', path.join(import.meta.dirname, 'test-process.ts')],
      {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        detached: true,
      },
    )
    this.#release = endWithUs(child)
    this.#child = child
    return child
  }
}

function judge(
  events: readonly TestEvent[],
  fault: string | undefined,
): Pick<Result, 'passed' | 'failed' | 'skipped' | 'failures' | 'fault'> {
  const count = (type: TestEvent['type']): number =>
    events.filter((event) => event.type === type).length
  const failures = events
    .filter(({ type }) => type === 'fail')
    .map(({ title, message }) => `${title}: ${message}`)
  const [passed, failed, skipped] = [count('pass'), failures.length, count('pending')]
  const whole = wholeFault(events, fault, passed + failed + skipped)
  // A file that could not be counted is one failure more.
  return {
    passed,
    failed: whole === undefined ? failed : failed + 1,
    skipped,
    failures,
    ...(whole !== undefined && { fault: whole }),
  }
}

function wholeFault(
  events: readonly TestEvent[],
  fault: string | undefined,
  total: number,
): string | undefined {
  const end = events.find(({ type }) => type === 'end')
  if (end === undefined) {
    const last = events.findLast(({ type }) => type === 'begin')?.title
    return `did not finish (${fault})${last === undefined ? '' : `; last test: ${last}`}`
  }
  if (end.title !== '') return end.title
  if (total === 0) return 'has no tests'
  const open = events.find(({ type }) => type === 'closed')?.title
  return open === '' ? undefined : `left open after its last test: ${open ?? fault}`
}
