import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { timeBudget } from '../packages/testkit/src/time-budget.ts'
import type { TestEvent } from './events-reporter.ts'

/** Something to run whose success counts: a check, or a suite of tests in a process of its own. */
export interface Step {
  readonly name: string
  readonly kind: 'check' | 'suite'
  readonly command: string
  readonly arguments: readonly string[]
  readonly folder: string
  readonly env?: Readonly<Record<string, string>>
  /**
   * What the step takes at most on a quiet machine, milliseconds: so much that only a step that never ends uses the
   * time budget of it up.
   */
  readonly limitMs: number
  /**
   * How long a suite may say nothing beyond the timeout of the test or hook that it is in; on a quiet machine,
   * milliseconds. Mocha ends and names what waits for too long; this is for what leaves mocha no turn, and for files
   * that do not load.
   * @defaultValue `60_000`
   */
  readonly silenceMs?: number
  /**
   * How long the process of a suite may live on after its last test, on a quiet machine: it left something open.
   * Milliseconds.
   * @defaultValue `10_000`
   */
  readonly graceMs?: number
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

/** Between two looks at what a suite said. */
const LOOK_MS = 500

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
  const limitMs = timeBudget(step.limitMs)
  let verdict: string | undefined
  let seen = 0
  let seenAt = start
  const watch = setInterval(() => {
    const now = performance.now()
    const said = readEvents(events)
    // Whatever a suite says is progress: a long suite on a slow machine is not one that hangs.
    if (said.length > seen) seenAt = now
    seen = said.length
    if (now - start > limitMs) verdict ??= `longer than ${limitMs / 1000} s`
    verdict ??= silenceFault(step, said, now - seenAt)
    if (verdict !== undefined) endGroup(child)
  }, LOOK_MS)
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

/** What is wrong when a step has said nothing for so long. */
function silenceFault(
  step: Step,
  said: readonly TestEvent[],
  silentMs: number,
): string | undefined {
  const { kind, silenceMs = 60_000, graceMs = 10_000 } = step
  if (kind === 'check') return undefined
  if (said.some(({ type }) => type === 'end')) {
    return silentMs > timeBudget(graceMs) ? HANGS : undefined
  }
  const isHanging = silentMs > (said.at(-1)?.limitMs ?? 0) + timeBudget(silenceMs)
  return isHanging ? `nothing happened for ${Math.round(silentMs / 1000)} s` : undefined
}

function readEvents(file: string): readonly TestEvent[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  // Written by our own reporter, one whole line per event.
  return lines.map((line) => JSON.parse(line) as TestEvent)
}
