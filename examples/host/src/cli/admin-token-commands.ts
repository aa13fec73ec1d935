import { type Command, InvalidArgumentError } from 'commander'
import { ADMIN_SCOPES } from '../admin/admin-scopes.ts'
import type { AdminClient } from './admin-client.ts'
import { subcommand } from './command.ts'
import { clean, listOf, type OutputOptions, print, table } from './output.ts'

interface CreateOptions extends OutputOptions {
  readonly name: string
  readonly only: readonly string[]
  readonly until: string
}

/** `svc admin-token …` */
export function addAdminTokenCommands(program: Command, connect: () => AdminClient): void {
  const token = program
    .command('admin-token')
    .description('The token of this command line, and tokens for those who do one thing.')
  subcommand(token, 'rotate', 'Makes a new one; the old one is dead at once.').action(
    async (options: OutputOptions) => {
      const answer = await connect().call('POST', '/admin-token')
      print(options, answer, `A new admin token is in ${clean(answer['file'])}.`)
    },
  )
  subcommand(token, 'create', 'Makes a token that may do some things, and prints it once.')
    .requiredOption('--name <name>', 'what it is called: a-z, 0-9 and -')
    .requiredOption('--only <scopes>', 'what it may do, such as instances:create', parseScopes)
    .requiredOption('--until <day>', 'its last day, such as 2027-01-31, or an instant')
    .addHelpText(
      'after',
      `\nWhat it may do:\n${ADMIN_SCOPES.map((each) => `  ${each}`).join('\n')}`,
    )
    .action(async ({ name, only, until, ...options }: CreateOptions) => {
      const answer = await connect().call('POST', '/admin-tokens', { name, only, until })
      print(options, answer, clean(answer['token']))
    })
  subcommand(token, 'list', 'Lists the named tokens, what they may do, and until when.').action(
    async (options: OutputOptions) => {
      const answer = await connect().call('GET', '/admin-tokens')
      const rows = listOf(answer['tokens']).map(({ name, only, until, created_at: createdAt }) => [
        name,
        Array.isArray(only) ? only.join(',') : '',
        createdAt,
        until,
      ])
      print(options, answer, table(['Name', 'Only', 'Created', 'Until'], rows))
    },
  )
  subcommand(token, 'revoke <name>', 'Ends a named token at once.').action(
    async (name: string, options: OutputOptions) => {
      const path = `/admin-tokens/${encodeURIComponent(name)}`
      print(options, await connect().call('DELETE', path), `Revoked ${name}.`)
    },
  )
}

function parseScopes(text: string): readonly string[] {
  const scopes = text.split(',').map((each) => each.trim())
  const unknown = scopes.find((each) => !ADMIN_SCOPES.some((known) => known === each))
  if (unknown === undefined) return scopes
  throw new InvalidArgumentError(`there is no scope ${unknown}`)
}
