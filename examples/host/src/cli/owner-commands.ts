import { createReadStream } from 'node:fs'
import process from 'node:process'
import type { Command } from 'commander'
import type { AdminClient } from './admin-client.ts'
import { subcommand } from './command.ts'
import { clean, listOf, type OutputOptions, print } from './output.ts'

interface ImportOptions extends OutputOptions {
  readonly dryRun?: true
}

/** `svc owner import` */
export function addOwnerCommands(program: Command, connect: () => AdminClient): void {
  const owner = program.command('owner').description('Owners that come from elsewhere.')

  subcommand(
    owner,
    'import <file>',
    'Creates an instance for each line of a JSONL file; `-` reads standard input.',
  )
    .option('--dry-run', 'check all of it and change nothing')
    .action(async (file: string, options: ImportOptions) => {
      const isTry = options.dryRun === true
      const input = file === '-' ? process.stdin : createReadStream(file)
      const answer = await connect().upload('POST', `/owners/import?dry_run=${isTry}`, input, {
        'content-type': 'application/jsonl',
      })
      print(options, answer, wordsOf(answer, isTry))
    })
}

function wordsOf(
  { created, unchanged, owners }: Readonly<Record<string, unknown>>,
  isTry: boolean,
): string {
  const head = isTry
    ? `Would create ${clean(created)}, and leave ${clean(unchanged)} as they are.`
    : `Created ${clean(created)}, left ${clean(unchanged)} as they are.`
  const invited = listOf(owners).filter(({ onboardingUrl }) => onboardingUrl !== undefined)
  if (invited.length === 0) return head
  const links = invited.map(
    (each) => `  ${clean(each['externalId'])}  ${clean(each['onboardingUrl'])}`,
  )
  return [head, 'These choose a passphrase at:', ...links].join('\n')
}
