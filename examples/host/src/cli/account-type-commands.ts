import type { Command } from 'commander'
import type { AdminClient } from './admin-client.ts'
import { subcommand } from './command.ts'
import { readInput } from './input.ts'
import { clean, listOf, type OutputOptions, print, table } from './output.ts'

const PATH = '/admin/account_types'

/** `svc account-type …` */
export function addAccountTypeCommands(program: Command, connect: () => AdminClient): void {
  const type = program
    .command('account-type')
    .description('Providers that owners connect accounts at, with their secrets.')
  subcommand(type, 'list', 'Lists the account types, without their secrets.').action(
    async (options: OutputOptions) => {
      const answer = await connect().call('GET', PATH)
      const rows = listOf(answer['account_types']).map((each) => [
        each['_id'],
        each['slug'],
        each['grant_mode'],
        each['preset'] ?? each['auth_endpoint'],
      ])
      print(options, answer, table(['Name', 'Connector', 'Mode', 'Provider'], rows))
    },
  )
  subcommand(
    type,
    'put <name> [file]',
    'Creates or replaces an account type, from a JSON file or standard input. <context>/<name>: of one context.',
  ).action(async (name: string, file: string | undefined, options: OutputOptions) => {
    const entry = parse(await readInput(file))
    const answer = await connect().call('PUT', `${PATH}/${encodeURIComponent(name)}`, entry)
    print(options, answer, `Stored the account type ${clean(answer['_id'])}.`)
  })
  subcommand(type, 'remove <name>', 'Removes an account type; its accounts stay.').action(
    async (name: string, options: OutputOptions) => {
      const answer = await connect().call('DELETE', `${PATH}/${encodeURIComponent(name)}`)
      print(options, answer, `Removed the account type ${name}.`)
    },
  )
}

/** Without its content: there are secrets in it. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new Error('The account type is not JSON.')
  }
}
