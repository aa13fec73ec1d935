import { Command } from 'commander'
import { CATALOGUE } from '../groups/catalogue.ts'
import { CannotRun, NotRemoved } from '../model/cannot-run.ts'
import { EXIT } from '../report/counts.ts'
import { cleanUp } from './clean.ts'
import { runCommand } from './run-command.ts'
import { type RunFlags, wireFlags, withRunOptions } from './run-flags.ts'
import type { Terminal } from './terminal.ts'

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
    .command('self-test <subject>')
    .description(
      'Breaks each answer of a saved run (json), or, with --operator, one thing at a time of a server (URL), and shows that the checks notice.',
    )
    .option('--matrix <file>', 'writes which check noticed what')
    .action(async (subject: string, { matrix }: { readonly matrix?: string }) => {
      const flags = program.opts<RunFlags>()
      // A run does without its proxy and families, and has 150 MiB of memory.
      const { selfTestCommand } = await import('./self-test-command.ts')
      code = await selfTestCommand(subject, flags, matrix, terminal)
    })
  try {
    await program.parseAsync(argv, { from: 'user' })
    return code
  } catch (error) {
    return faultCode(error, terminal)
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

function faultCode(error: unknown, terminal: Terminal): number {
  if (error instanceof CannotRun) {
    terminal.err(`${error.message}\n`)
    return error instanceof NotRemoved ? EXIT.notRemoved : EXIT.cannotRun
  }
  // Commander has said what is wrong; help and version are no faults.
  if (error instanceof Error && 'exitCode' in error) {
    return error.exitCode === 0 ? EXIT.passed : EXIT.cannotRun
  }
  terminal.err(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  return EXIT.cannotRun
}
