import type { Command } from 'commander'
import type { AdminClient } from './admin-client.ts'
import { instancePath, listAll, subcommand } from './command.ts'
import { readInput } from './input.ts'
import { clean, type OutputOptions, print, table } from './output.ts'

interface ImportOptions extends OutputOptions {
  readonly tokenFile?: string
  readonly name?: string
  readonly scope?: string
}

/** `svc account …` */
export function addAccountCommands(program: Command, connect: () => AdminClient): void {
  const account = program.command('account').description("An owner's accounts at providers.")
  subcommand(account, 'list <domain>', 'Lists the accounts and whether they work.').action(
    async (domain: string, options: OutputOptions) => {
      const accounts = await listAll(connect(), instancePath(domain, '/accounts'), 'accounts')
      const rows = accounts.map(({ _id: id, account_type: type, oauth }) => {
        const { status, expires_at: endsAt } = (oauth ?? {}) as Record<string, unknown> // as listed
        return [id, type, status, endsAt]
      })
      print(options, { accounts }, table(['Id', 'Type', 'State', 'Token until'], rows))
    },
  )
  subcommand(
    account,
    'import <domain> <type>',
    'Takes over an account whose refresh token comes on standard input, or from a file.',
  )
    .option('--token-file <file>', 'file that holds the refresh token')
    .option('--name <name>', 'what the account is called')
    .option('--scope <scope>', 'what the token allows')
    .action(async (domain: string, type: string, options: ImportOptions) => {
      const { tokenFile, name, scope } = options
      const token = (await readInput(tokenFile)).trim()
      const body = { account_type: type, refresh_token: token, name, scope }
      const answer = await connect().call('POST', instancePath(domain, '/accounts'), body)
      print(options, answer, `Imported the account ${clean(answer['_id'])}.`)
    })
  subcommand(account, 'refresh <domain> <account>', 'Asks the provider for a fresh token.')
    .option('--force', 'even when the provider refused a moment ago')
    .action(async (domain: string, id: string, options: OutputOptions & { force?: boolean }) => {
      const body = { force: options.force === true }
      const answer = await connect().call('POST', `${pathOf(domain, id)}/refresh`, body)
      const { expires_at: endsAt } = (answer['oauth'] ?? {}) as Record<string, unknown> // as listed
      print(options, answer, `The new token of ${id} works until ${clean(endsAt)}.`)
    })
  subcommand(
    account,
    'remove <domain> <account>',
    'Ends the access at the provider, as far as it listens, and deletes the account.',
  ).action(async (domain: string, id: string, options: OutputOptions) => {
    print(options, await connect().call('DELETE', pathOf(domain, id)), `Removed ${id}.`)
  })
}

function pathOf(domain: string, id: string): string {
  return instancePath(domain, `/accounts/${encodeURIComponent(id)}`)
}
