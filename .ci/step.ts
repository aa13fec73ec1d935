import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestEvent } from './events-reporter.ts'

/** Something to run whose success counts: a check, or a suite of tests in a process of its own. */
export interface Step {
  readonly name: string
  readonly kind: 'check' | 'suite'
  readonly command: string
  readonly arguments: readonly string[]
  readonly folder: string
  readonly env?: Readonly<Record<string, string>>
  /** Milliseconds until the step is ended and counts as failed. */
  readonly limitMs: number
}

export interface StepResult {
  readonly name: string
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly durationMs: number
  /** Why things were skipped, each reason once. */
  readonly reasons: readonly string[]
  /** The tests that failed, each with what it said. */
  readonly failures: readonly string[]
  /** Why the step as a whole failed, besides its tests. */
  readonly fault?: string
}

/** How long a process may live on after its last test: it left something open. */
const GRACE_MS = 10_000

const EXIT = 'ended with '
const HANGS = 'the process did not end after its last test'

let started = 0

/** Runs one step; `print` shows what it prints. */
export async function runStep(step: Step, print: (chunk: Buffer) => void): Promise<StepResult> {
  started += 1
  const events = path.join(tmpdir(), `svc-events-${process.pid}-${started}.ndjson`)
  rmSync(events, { force: true })
  const start = performance.now()
  const child = spawn(step.command, step.arguments, {
    cwd: step.folder,
    env: { ...process.env, ...step.env, SVC_TEST_EVENTS: events },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const reasons = new Set<string>()
  const ended = new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) =>
      resolve(code === 0 ? undefined : `${EXIT}${signal ?? code}`),
    )
  })
  child.stdout?.on('data', print)
  child.stderr?.on('data', (chunk: Buffer) => {
    for (const [, reason = ''] of chunk.toString().matchAll(/^skipped: (.*)$/gm)) {
      reasons.add(reason.replace(/ "before (all|each)" hook( for| in) "[^"]*"/, ''))
    }
    print(chunk)
  })
  const interrupt = (): void => {
    endGroup(child)
    process.exit(130)
  }
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  const fault = await withinLimits(step, child, events, ended)
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  endGroup(child)
  const durationMs = performance.now() - start
  const result = { name: step.name, durationMs, reasons: [...reasons] }
  if (step.kind === 'check') {
    const isGood = fault === undefined
    return { ...result, passed: isGood ? 1 : 0, failed: isGood ? 0 : 1, skipped: 0, failures: [] }
  }
  const seen = readEvents(events)
  rmSync(events, { force: true })
  return { ...result, ...judge(seen, fault) }
}

function judge(
  events: readonly TestEvent[],
  fault: string | undefined,
): Pick<StepResult, 'passed' | 'failed' | 'skipped' | 'failures' | 'fault'> {
  const count = (type: TestEvent['type']): number =>
    events.filter((event) => event.type === type).length
  const passed = count('pass')
  const failures = events
    .filter(({ type }) => type === 'fail')
    .map(({ title, message }) => `${title}: ${message}`)
  const failed = failures.length
  const skipped = count('pending')
  const whole = wholeFault(events, fault, failed, passed + failed + skipped)
  // A suite that could not be counted is one failure more.
  return whole === undefined
    ? { passed, failed, skipped, failures }
    : { passed, failed: failed + 1, skipped, failures, fault: whole }
}

function wholeFault(
  events: readonly TestEvent[],
  fault: string | undefined,
  failed: number,
  total: number,
): string | undefined {
  if (events.every((event) => event.type !== 'end')) {
    const last = events.findLast((event) => event.type === 'begin')?.title
    return `did not finish (${fault ?? 'no report'})${last === undefined ? '' : `; last test: ${last}`}`
  }
  if (total === 0) return 'has no tests'
  const open = events.findLast((event) => event.type === 'open')
  if (fault === HANGS) return `${fault}${open === undefined ? '' : `: ${open.title}`}`
  // mocha's exit code is the number of failures; any other end needs an explanation of its own.
  return failed > 0 && fault?.startsWith(EXIT) ? undefined : fault
}

async function withinLimits(
  step: Step,
  child: ChildProcess,
  events: string,
  ended: Promise<string | undefined>,
): Promise<string | undefined> {
  const start = performance.now()
  let finishedAt: number | undefined
  let verdict: string | undefined
  const watch = setInterval(() => {
    const now = performance.now()
    finishedAt ??= isFinished(events) ? now : undefined
    const isHanging = finishedAt !== undefined && now - finishedAt > GRACE_MS
    if (!isHanging && now - start < step.limitMs) return
    verdict ??= isHanging ? HANGS : `longer than ${step.limitMs / 1000} s`
    endGroup(child)
  }, 500)
  const exit = await ended
  clearInterval(watch)
  return verdict ?? exit
}

/** Ends the step's whole process group: servers and browsers it started as well. */
function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // Already gone.
  }
}

function isFinished(events: string): boolean {
  return readEvents(events).some((event) => event.type === 'end')
}

function readEvents(file: string): readonly TestEvent[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  // Written by our own reporter, one whole line per event.
  return lines.map((line) => JSON.parse(line) as TestEvent)
}
