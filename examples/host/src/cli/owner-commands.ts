import { createReadStream } from 'node:fs'
import process from 'node:process'
import { setTimeout } from 'node:timers/promises'
import type { Command } from 'commander'
import type { AdminClient } from './admin-client.ts'
import { subcommand } from './command.ts'
import { clean, listOf, type OutputOptions, print } from './output.ts'

interface ImportOptions extends OutputOptions {
  readonly dryRun?: true
}

/** How often it is asked how far an import is, milliseconds. */
const ASK_MS = 300

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
      const answer = await runImport(connect(), input, isTry)
      print(options, answer, wordsOf(answer, isTry))
    })
}

async function runImport(
  admin: AdminClient,
  input: AsyncIterable<Uint8Array>,
  isTry: boolean,
): Promise<Record<string, unknown>> {
  const { import: id } = await admin.upload('POST', `/owners/imports?dry_run=${isTry}`, input, {
    'content-type': 'application/jsonl',
  })
  for (;;) {
    const job = await admin.call('GET', `/owners/imports/${String(id)}`)
    // As the route answers.
    if (job['state'] !== 'running') return job['result'] as Record<string, unknown>
    await setTimeout(ASK_MS)
  }
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
