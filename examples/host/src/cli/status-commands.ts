import type { Command } from 'commander'
import type { AdminClient } from './admin-client.ts'
import { subcommand } from './command.ts'
import { clean, listOf, type OutputOptions, print, table } from './output.ts'

/** `svc status` */
export function addStatusCommand(program: Command, connect: () => AdminClient): void {
  subcommand(
    program,
    'status',
    'Shows on one screen how the server is: processes, store, keys, backup, disk, mails, alerts.',
  ).action(async (options: OutputOptions) => {
    const answer = await connect().call('GET', '/status')
    print(options, answer, toScreen(answer))
  })
}

function toScreen(answer: Readonly<Record<string, unknown>>): string {
  const lines = listOf(answer['lines'])
  const alerts = lines.filter(({ state }) => state !== 'ok')
  const rows = lines.map(({ subject, state, text }) => [subject, state, text])
  const processes = lines.flatMap(({ facts }) =>
    listOf((facts as { readonly processes?: unknown } | undefined)?.processes),
  )
  return [
    `svc ${clean(answer['version'])}`,
    table(['Subject', 'State', ''], rows),
    ...(processes.length === 0 ? [] : [table(PROCESS_HEADINGS, processes.map(toRow))]),
    alerts.length === 0
      ? 'No alerts.'
      : `Alerts:\n${alerts.map(({ subject, text }) => `  ${clean(subject)}: ${clean(text)}`).join('\n')}`,
  ].join('\n\n')
}

const PROCESS_HEADINGS = ['Process', 'Port', 'State', 'Version', 'Started', 'Keys']

function toRow(process: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { hostname, port, state, version, started_at: startedAt, kids } = process
  const started = new Date(Number(startedAt)).toISOString().slice(0, 19)
  return [hostname, port, state, version, `${started}Z`, Array.isArray(kids) ? kids.join(' ') : '']
}
