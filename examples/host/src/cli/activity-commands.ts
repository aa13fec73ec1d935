import { createWriteStream } from 'node:fs'
import process from 'node:process'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import type { AdminClient } from './admin-client.ts'
import { instancePath, subcommand } from './command.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import { clean, type OutputOptions, print } from './output.ts'

/** What `npx @svc/activity verify` exits with, too. */
const BROKEN = EXIT_CODES['activity verify'].broken

/** `svc activity`. @see owner.md 5.7 */
export function addActivityCommands(program: Command, connect: () => AdminClient): void {
  const activity = program
    .command('activity')
    .description('The record of what happened in an instance.')

  subcommand(activity, 'verify <domain>', 'Verifies the record and its seals.').action(
    async (domain: string, options: OutputOptions) => {
      const found = await connect().call('POST', instancePath(domain, '/activity/verify'), {})
      print(options, found, verificationInWords(found))
      if (found['unbroken'] !== true) process.exitCode = BROKEN
    },
  )

  subcommand(activity, 'export <domain>', 'Writes the record into a file.')
    .requiredOption('--to <file>', 'the file to write')
    .action(async (domain: string, options: OutputOptions & { readonly to: string }) => {
      const path = instancePath(domain, '/activity/export')
      const lines = await connect().download('POST', path, {})
      await pipeline(lines, createWriteStream(options.to, { flags: 'wx', mode: 0o600 }))
      print(options, { domain, file: options.to }, `Wrote ${options.to}.`)
    })
}

/** What a verification found, in a sentence. */
export function verificationInWords(found: unknown): string {
  // The admin API answers what the verification found.
  const { unbroken, count, seq, fault } = found as {
    readonly unbroken: boolean
    readonly count: number
    readonly seq: number
    readonly fault?: { readonly seq: number; readonly reason: string }
  }
  if (!unbroken && fault !== undefined) {
    return `The record of activity is BROKEN at entry ${clean(fault.seq)}: ${clean(fault.reason)}.`
  }
  const last = count === 0 ? '' : `, the last one is ${clean(seq)}`
  return `The record of activity is unbroken: ${clean(count)} entries${last}.`
}
