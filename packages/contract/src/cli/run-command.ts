import { randomBytes } from 'node:crypto'
import { CannotRun } from '../model/cannot-run.ts'
import { exitCodeOf } from '../report/counts.ts'
import { textReport } from '../report/text.ts'
import { reportTarget, type ReportTarget, writeReport } from '../report/write.ts'
import type { Report } from '../run/options.ts'
import { replay, run } from '../run/run.ts'
import { readCount, readProfile, readReport } from './options.ts'
import { ownerOf } from './owner.ts'
import { chosenFlags, type RunFlags, surroundingFlags, wireFlags } from './run-flags.ts'
import type { Terminal } from './terminal.ts'

const MS = 1000
const PROFILE = 'svc'

/** Asks a server, or judges a saved run again. @returns what the process ends with @throws CannotRun */
export async function runCommand(
  url: string | undefined,
  flags: RunFlags,
  terminal: Terminal,
): Promise<number> {
  const targets = (flags.report ?? []).map(readTarget)
  const report = await (flags.replay === undefined
    ? ask(url, flags, terminal)
    : again(flags.replay, flags))
  for (const target of targets) writeReport(report, target)
  terminal.out(`${textReport(report)}, ${terminal.memory()} MiB of memory\n`)
  return exitCodeOf(report)
}

/** In the profile that it was made in, when no other one is named. */
function again(file: string, flags: RunFlags): Promise<Report> {
  const saved = readReport(file)
  return replay(saved, readProfile(flags.profile ?? saved.profile), chosenFlags(flags))
}

async function ask(url: string | undefined, flags: RunFlags, terminal: Terminal): Promise<Report> {
  if (url === undefined) throw new CannotRun('Name the base of an instance.')
  const runId = randomBytes(4).toString('hex')
  return run({
    target: url,
    profile: readProfile(flags.profile ?? PROFILE),
    runId,
    concurrency: readCount(flags.concurrency),
    journal: `contract-${runId}.jsonl`,
    signal: AbortSignal.any([terminal.signal, AbortSignal.timeout(readCount(flags.time) * MS)]),
    environment: terminal.environment,
    ...ownerOf(flags, terminal.environment, (text) => terminal.err(`${text}\n`)),
    ...chosenFlags(flags),
    ...wireFlags(flags),
    ...surroundingFlags(flags),
    ...(flags.seed !== undefined && { seed: readCount(flags.seed) }),
  })
}

function readTarget(text: string): ReportTarget {
  try {
    return reportTarget(text)
  } catch (error) {
    throw new CannotRun(error instanceof Error ? error.message : String(error))
  }
}
