import { closeSync, openSync, writeSync } from 'node:fs'
import { checksOf } from '../groups/catalogue.ts'
import { CannotRun } from '../model/cannot-run.ts'
import { EXIT } from '../report/counts.ts'
import { selfTestLive, type Tried } from '../self-test/live.ts'
import { type Matrix, selfTest } from '../self-test/matrix.ts'
import { readCount, readOperator, readProfile, readReport } from './options.ts'
import { type RunFlags, wireFlags } from './run-flags.ts'
import type { Terminal } from './terminal.ts'

/** Most checks that may pass whatever is broken in one recorded answer. */
const MOST_BLIND = 0
/** Most checks that may notice nothing that a proxy breaks: of those a server in the tests breaks the rule. */
const MOST_BEYOND_PROXY = 5
/** Fewest things that a whole self-test breaks. */
const FEWEST_BREAKS = 150

/** Breaks recorded answers of a saved run, or a server of an operator. @returns what the process ends with */
export async function selfTestCommand(
  subject: string,
  flags: RunFlags,
  matrixFile: string | undefined,
  terminal: Terminal,
): Promise<number> {
  return /^https?:\/\//.test(subject)
    ? breakServer(subject, flags, matrixFile, terminal)
    : breakRecording(subject, flags, terminal)
}

async function breakRecording(
  file: string,
  flags: RunFlags,
  { out, err }: Terminal,
): Promise<number> {
  const report = readReport(file)
  const profile = readProfile(flags.profile ?? report.profile)
  const found = await selfTest(checksOf(profile, {}), report.recording, profile)
  for (const { check, family, mutation, said } of found.noticed) {
    out(`${check}\t${family}\t${mutation}\t${said}\n`)
  }
  return conclude(found, MOST_BLIND, { out, err })
}

async function breakServer(
  target: string,
  flags: RunFlags,
  matrixFile: string | undefined,
  { out, err, signal }: Terminal,
): Promise<number> {
  if (!target.startsWith('http:')) throw new CannotRun('The proxy of a self-test speaks http.')
  if (flags.operator === undefined) {
    throw new CannotRun(
      'A self-test of a server makes an instance for each break: give --operator.',
    )
  }
  const { connectTo } = wireFlags(flags)
  const file = matrixFile === undefined ? undefined : openSync(matrixFile, 'w')
  const tell = (one: Tried): void => {
    const line = lineOf(one)
    out(line)
    if (file !== undefined) writeSync(file, line)
  }
  try {
    const found = await selfTestLive({
      target,
      profile: readProfile(flags.profile ?? 'svc'),
      operator: readOperator(flags.operator),
      seed: readCount(flags.seed ?? '1'),
      signal,
      tried: tell,
      ...(flags.mailbox !== undefined && { mailbox: flags.mailbox }),
      ...(flags.group !== undefined && { groups: flags.group }),
      ...(connectTo !== undefined && { connectTo }),
    })
    for (const what of found.unnoticed) err(`Nothing noticed ${what}\n`)
    out(`${found.tried.length} things were broken.\n`)
    const isShort = flags.group === undefined && found.tried.length < FEWEST_BREAKS
    const code = conclude(found, MOST_BEYOND_PROXY, { out, err })
    return found.unnoticed.length > 0 || isShort ? EXIT.failed : code
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** What was broken and where; the checks that noticed it; those that failed after it. */
function lineOf({ family, name, at, groups, noticed, others }: Tried): string {
  const by = noticed.map(({ check }) => check).join(' ')
  return `${[family, name, at, groups.join(' '), by, others.join(' ')].join('\t')}\n`
}

function conclude(
  { noticed, blind }: Matrix,
  most: number,
  { out, err }: Pick<Terminal, 'out' | 'err'>,
): number {
  for (const id of blind) err(`${id} passes whatever is broken\n`)
  out(`${noticed.length} checks noticed what was broken, ${blind.length} did not.\n`)
  return blind.length > most ? EXIT.failed : EXIT.passed
}
