import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { CATALOGUE, CATALOGUE_VERSION } from '../groups/catalogue.ts'
import type { Selection } from '../model/selection.ts'
import { EXIT, exitCodeOf } from '../report/counts.ts'
import { textReport } from '../report/text.ts'
import { reportTarget, type ReportTarget, writeReport } from '../report/write.ts'
import { CannotRun, replay, type Report, run, type RunOptions } from '../run/run.ts'
import { cleanUp } from './clean.ts'
import {
  readConnectTo,
  readCount,
  readExpected,
  readJson,
  readOperator,
  readProfile,
} from './options.ts'
import { type OwnerOptions, ownerPassphrase } from './owner.ts'
import { runSelfTest } from './self-test-command.ts'
import type { Terminal } from './terminal.ts'

interface RunFlags extends OwnerOptions {
  readonly profile: string
  readonly only?: readonly string[]
  readonly except?: readonly string[]
  readonly group?: readonly string[]
  readonly level?: readonly string[]
  readonly catalogue?: string
  readonly expected?: string
  readonly report?: readonly string[]
  readonly connectTo?: readonly string[]
  readonly ca?: string
  readonly seed?: string
  readonly concurrency: string
  readonly time: string
  readonly replay?: string
  readonly operator?: string
  readonly mailbox?: string
  readonly slow?: boolean
}

const MS = 1000

/** The command line. @returns what the process ends with */
export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  let code: number = EXIT.passed
  const program = new Command('svc-contract')
    .description('Tells from outside whether a server of this interface does what it must.')
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
  withRunOptions(
    program.argument('[url]', 'base of an instance, such as https://alice.example.org'),
  ).action(async (url: string | undefined, flags: RunFlags) => {
    code = await runCommand(url, flags, terminal)
  })
  program
    .command('list')
    .description('Lists every check.')
    .action(() => {
      for (const { id, level, title } of CATALOGUE)
        terminal.out(`${id} ${level.padEnd(6)} ${title}\n`)
    })
  program
    .command('explain <id>')
    .description('Says what a check proves, why, and what to do.')
    .action((id: string) => {
      code = explain(id, terminal)
    })
  program
    .command('clean <journal>')
    .description('Removes what a run left behind that was killed.')
    .action(async (file: string) => {
      code = await cleanUp(file, terminal, wireFlags(program.opts<RunFlags>()))
    })
  program
    .command('self-test <report>')
    .description('Breaks each answer of a saved run (json), and shows that the checks notice.')
    .action(async (file: string) => {
      code = await runSelfTest(readJson(file) as Report, terminal) // a report that a run wrote
    })
  try {
    await program.parseAsync(argv, { from: 'user' })
    return code
  } catch (error) {
    return faultCode(error, terminal)
  }
}

/** An option that may stand several times. */
function many(value: string, before?: readonly string[]): readonly string[] {
  return [...(before ?? []), value]
}

function withRunOptions(program: Command): Command {
  return program
    .option('--owner-passphrase <text>', 'the owner; other users of the machine can read it')
    .option('--owner-passphrase-file <file>', 'a file with the passphrase of the owner')
    .option('--profile <name>', 'seed, svc, embedded, core-oauth, or a file', 'svc')
    .option('--only <pattern>', 'checks by id, such as TOK-0*', many)
    .option('--except <pattern>', 'checks that are left out', many)
    .option('--group <name>', 'groups, such as TOK', many)
    .option('--level <name>', 'must, should, may', many)
    .option('--catalogue <version>', 'keeps to the checks of a version', CATALOGUE_VERSION)
    .option('--expected <file>', 'known failures: [{ "id", "reason", "until"? }]')
    .option('--operator <file>', 'commands that make and remove an instance for the run')
    .option('--mailbox <address>', 'http(s)://, maildir:, smtp:PORT, command:, none')
    .option('--slow', 'waits for what expires within minutes')
    .option('--report <format=file>', 'json=, junit=, tap=, html=', many)
    .option('--connect-to <rule>', 'host:port:address:port, as curl has it', many)
    .option('--ca <file>', 'certificates of authorities, PEM')
    .option('--seed <number>', 'order of the scenarios')
    .option('--concurrency <count>', 'requests at a time', '8')
    .option('--time <seconds>', 'the run ends after that, and cleans up', '60')
    .option('--replay <file>', 'judges a saved run (json) again; sends nothing')
}

async function runCommand(
  url: string | undefined,
  flags: RunFlags,
  terminal: Terminal,
): Promise<number> {
  const profile = readProfile(flags.profile)
  const reports = (flags.report ?? []).map(readTarget)
  let report: Report
  if (flags.replay !== undefined) {
    const saved = readJson(flags.replay) as Report // a report that a run wrote
    report = { ...saved, verdicts: await replay(saved, profile) }
  } else {
    if (url === undefined) throw new CannotRun('Name the base of an instance.')
    const passphrase = ownerPassphrase(
      flags,
      terminal.environment['CONTRACT_OWNER_PASSPHRASE'],
      (text) => terminal.err(`${text}\n`),
    )
    const runId = randomBytes(4).toString('hex')
    report = await run({
      target: url,
      passphrase,
      profile,
      runId,
      selection: selectionOf(flags),
      concurrency: readCount(flags.concurrency),
      journal: `contract-${runId}.jsonl`,
      signal: AbortSignal.any([terminal.signal, AbortSignal.timeout(readCount(flags.time) * MS)]),
      ...(flags.expected !== undefined && { expected: readExpected(flags.expected) }),
      ...wireFlags(flags),
      ...surroundingFlags(flags),
      ...(flags.seed !== undefined && { seed: readCount(flags.seed) }),
    })
  }
  for (const target of reports) writeReport(report, target)
  terminal.out(`${textReport(report)}, ${terminal.memory()} MiB of memory\n`)
  return exitCodeOf(report)
}

function surroundingFlags({
  operator,
  mailbox,
  slow,
}: RunFlags): Pick<RunOptions, 'operator' | 'mailbox' | 'isSlow'> {
  return {
    ...(operator !== undefined && { operator: readOperator(operator) }),
    ...(mailbox !== undefined && mailbox !== 'none' && { mailbox }),
    ...(slow !== undefined && { isSlow: slow }),
  }
}

function wireFlags({ connectTo, ca }: RunFlags): Pick<RunOptions, 'connectTo' | 'ca'> {
  return {
    ...(connectTo !== undefined && { connectTo: connectTo.map(readConnectTo) }),
    ...(ca !== undefined && { ca: readFileSync(ca, 'utf8') }),
  }
}

function selectionOf({ only, except, group, level, catalogue }: RunFlags): Selection {
  return {
    ...(only !== undefined && { only }),
    ...(except !== undefined && { except }),
    ...(group !== undefined && { groups: group }),
    ...(level !== undefined && { levels: level }),
    ...(catalogue !== undefined && { catalogue }),
  }
}

function explain(id: string, terminal: Terminal): number {
  const check = CATALOGUE.find((one) => one.id === id)
  if (check === undefined) throw new CannotRun(`There is no check ${id}; see svc-contract list.`)
  const { title, level, rules, why, remedy, needs = [] } = check
  terminal.out(
    `${id} (${level}): ${title}\nRules: ${rules.join('; ')}\nWhy: ${why}\nRemedy: ${remedy}\n` +
      (needs.length === 0 ? '' : `Needs: ${needs.join(', ')}\n`),
  )
  return EXIT.passed
}

function readTarget(text: string): ReportTarget {
  try {
    return reportTarget(text)
  } catch (error) {
    throw new CannotRun(error instanceof Error ? error.message : String(error))
  }
}

function faultCode(error: unknown, terminal: Terminal): number {
  if (error instanceof CannotRun) {
    terminal.err(`${error.message}\n`)
    return EXIT.cannotRun
  }
  // Commander has said what is wrong; help and version are no faults.
  if (error instanceof Error && 'exitCode' in error) {
    return error.exitCode === 0 ? EXIT.passed : EXIT.cannotRun
  }
  terminal.err(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  return EXIT.cannotRun
}
