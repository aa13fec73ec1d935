import { type Command, InvalidArgumentError } from 'commander'
import { readSize, sizeInWords } from '../config/size.ts'
import type { AdminClient } from './admin-client.ts'
import { instancePath, subcommand } from './command.ts'
import { type OutputOptions, print, table } from './output.ts'

interface UsageOptions extends OutputOptions {
  readonly recount?: true
}

/** `svc instance usage`. */
export function addUsageCommand(instance: Command, connect: () => AdminClient): void {
  subcommand(instance, 'usage <domain>', 'Shows what an instance keeps, by kind of record.')
    .option('--recount', 'count every record anew first')
    .action(async (domain: string, options: UsageOptions) => {
      const method = options.recount === true ? 'POST' : 'GET'
      const answer = await connect().call(method, instancePath(domain, '/usage'))
      print(options, answer, inWords(answer))
    })
}

/** A size of `--disk`; null: that of every instance. */
export function parseDisk(text: string): number | null {
  if (text === 'default') return null
  const bytes = readSize(text)
  if (bytes === undefined) throw new InvalidArgumentError('must be a size such as 5GiB')
  return bytes
}

function inWords(answer: Readonly<Record<string, unknown>>): string {
  const { used, quota, bounded, before, after, kinds } = answer
  // The admin API answers what the store counts.
  const usage = Object.entries(kinds as Record<string, { records: number; bytes: number }>)
  const rows = usage
    .toSorted(([, one], [, other]) => other.bytes - one.bytes)
    .map(([kind, { records, bytes }]) => [kind, records, sizeInWords(bytes)])
  const limit = quota === undefined ? 'no limit' : `of ${sizeInWords(Number(quota))}`
  return [
    `Used ${sizeInWords(Number(used))}, ${limit}`,
    ...(after === undefined
      ? []
      : [`Counted anew: ${Number(after)} bytes, kept until now: ${Number(before)} bytes`]),
    '',
    table(
      ['Kind', 'Records', 'Size'],
      [...rows, ['small kinds, by their bound', '', sizeInWords(Number(bounded))]],
    ),
  ].join('\n')
}
