import { type ChildProcess, spawn } from 'node:child_process'
import { timeBudget } from '../packages/testkit/src/time-budget.ts'

/** A command whose success counts as one test. */
export interface Step {
  readonly name: string
  readonly command: string
  readonly arguments: readonly string[]
  readonly folder: string
  /** What it takes at most on a quiet machine, milliseconds: only a step that never ends uses the budget of it up. */
  readonly limitMs: number
}

/** What came of a step or of a file of tests. */
export interface Result {
  /** Of the step; of a file its suite, such as `@svc/store unit`. */
  readonly name: string
  /** Of a file of tests: below its package. */
  readonly file?: string
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly durationMs: number
  /** Of a file of tests: processor time in its own process. */
  readonly cpuMs?: number
  /** Why things were skipped, each reason once. */
  readonly reasons: readonly string[]
  /** The tests that failed, each with its message. */
  readonly failures: readonly string[]
  /** Why the step or the file as a whole failed, besides its tests. */
  readonly fault?: string
}

/** Runs one step; `print` shows what it prints. */
export async function runStep(step: Step, print: (chunk: Buffer) => void): Promise<Result> {
  const start = performance.now()
  const child = spawn(step.command, step.arguments, {
    cwd: step.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const release = endWithUs(child)
  child.stdout.on('data', print)
  child.stderr.on('data', print)
  const limitMs = timeBudget(step.limitMs)
  let isLate = false
  const limit = setTimeout(() => {
    isLate = true
    endGroup(child)
  }, limitMs)
  const exit = await new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) =>
      resolve(code === 0 ? undefined : `ended with ${signal ?? code}`),
    )
  })
  clearTimeout(limit)
  release()
  endGroup(child)
  const fault = isLate ? `longer than ${limitMs / 1000} s` : exit
  return {
    name: step.name,
    durationMs: performance.now() - start,
    passed: fault === undefined ? 1 : 0,
    failed: fault === undefined ? 0 : 1,
    skipped: 0,
    reasons: [],
    failures: [],
    ...(fault !== undefined && { fault }),
  }
}

/** An interrupted run leaves no process behind. @returns what to call when the process has ended */
export function endWithUs(child: ChildProcess): () => void {
  const interrupt = (): void => {
    endGroup(child)
    process.exit(130)
  }
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  return () => process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
}

/** Ends a whole process group: servers and browsers that the process started as well. */
export function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // Already gone.
  }
}
