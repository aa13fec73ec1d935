import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command } from 'commander'
import { addActivityCommands } from './activity-commands.ts'
import { addAccountCommands } from './account-commands.ts'
import { addAccountTypeCommands } from './account-type-commands.ts'
import { type AdminClient, createAdminClient } from './admin-client.ts'
import { addAdminTokenCommands } from './admin-token-commands.ts'
import { addAssistantCommands } from './assistant-commands.ts'
import { addBackupCommands } from './backup-commands.ts'
import { addCodeCommands } from './code-commands.ts'
import { instancePath, listAll, listKept, members, subcommand } from './command.ts'
import { addCompletionCommand } from './completion-command.ts'
import { addDevProviderCommand } from './dev-provider-command.ts'
import { addDoctorCommand } from './doctor-commands.ts'
import { addInstanceCommands } from './instance-commands.ts'
import { addKeyCommands } from './key-commands.ts'
import { addKonnectorCommands } from './konnector-commands.ts'
import { addNotificationCommands } from './notification-commands.ts'
import { addOwnerCommands } from './owner-commands.ts'
import { addStatusCommand } from './status-commands.ts'
import { clean, listOf, type OutputOptions, print, table } from './output.ts'
import { addStoreCommands } from './store-commands.ts'

/** The command line `svc`. It talks to the admin listener, so it works on every store while the server runs. */
export function createProgram(connect: () => AdminClient = createAdminClient): Command {
  const program = new Command('svc').description('Operates a running server.')
  addStatusCommand(program, connect)
  addInstanceCommands(program, connect)
  addOwnerCommands(program, connect)
  addAppCommands(program, connect)
  addTokenCommands(program, connect)
  addClientCommands(program, connect)
  addKonnectorCommands(program, connect)
  addAccountTypeCommands(program, connect)
  addAccountCommands(program, connect)
  addActivityCommands(program, connect)
  addCodeCommands(program, connect)
  addDevProviderCommand(program, connect)
  addNotificationCommands(program, connect)
  addKeyCommands(program, connect)
  addAdminTokenCommands(program, connect)
  addStoreCommands(program)
  addBackupCommands(program)
  addDoctorCommand(program)
  addAssistantCommands(program, connect)
  addCompletionCommand(program)
  addOtherCommands(program, connect)
  return program
}

function addAppCommands(program: Command, connect: () => AdminClient): void {
  const app = program.command('app').description('Web apps of an instance.')
  subcommand(app, 'list <domain>', 'Lists the installed apps.').action(
    async (domain: string, options: OutputOptions) => {
      const answer = await connect().call('GET', instancePath(domain, '/apps'))
      const rows = listOf(answer['apps']).map(({ slug, name, version }) => [slug, name, version])
      print(options, answer, table(['Slug', 'Name', 'Version'], rows))
    },
  )
  subcommand(
    app,
    'install <domain> <app>',
    'Installs an app by its slug, or from a folder.',
  ).action(async (domain: string, slugOrFolder: string, options: OutputOptions) => {
    const isFolder = slugOrFolder.includes('/') && existsSync(slugOrFolder)
    const body = { app: isFolder ? resolve(slugOrFolder) : slugOrFolder }
    const answer = await connect().call('POST', instancePath(domain, '/apps'), body)
    print(options, answer, `Installed ${clean(answer['name'])} (${clean(answer['slug'])}).`)
  })
  subcommand(app, 'uninstall <domain> <slug>', 'Uninstalls an app.').action(
    async (domain: string, slug: string, options: OutputOptions) => {
      const path = instancePath(domain, `/apps/${encodeURIComponent(slug)}`)
      print(options, await connect().call('DELETE', path), `Uninstalled ${slug}.`)
    },
  )
}

function addTokenCommands(program: Command, connect: () => AdminClient): void {
  const token = program.command('token').description('Tokens for development and scripts.')
  subcommand(
    token,
    'app <domain> <slug>',
    'Opens a session and prints an app token with its cookie.',
  ).action(async (domain: string, slug: string, options: OutputOptions) => {
    const answer = await connect().call('POST', instancePath(domain, '/app-tokens'), { slug })
    print(options, answer, JSON.stringify(answer))
  })
  subcommand(
    token,
    'konnector <domain> <slug>',
    'Prints a token of an installed konnector, good for 30 minutes.',
  ).action(async (domain: string, slug: string, options: OutputOptions) => {
    const path = instancePath(domain, `/konnectors/${encodeURIComponent(slug)}/tokens`)
    const answer = await connect().call('POST', path)
    print(options, answer, clean(answer['token']))
  })
  subcommand(
    token,
    'oauth <domain> <client> <scope>',
    'Prints an access token of a client, as if its owner had allowed the scope.',
  ).action(async (domain: string, id: string, scope: string, options: OutputOptions) => {
    const path = instancePath(domain, `/clients/${encodeURIComponent(id)}/tokens`)
    const answer = await connect().call('POST', path, { scope })
    print(options, answer, clean(answer['access_token']))
  })
}

function addClientCommands(program: Command, connect: () => AdminClient): void {
  const client = program.command('client').description('OAuth clients of an instance.')
  subcommand(client, 'list <domain>', 'Lists the registered clients.').action(
    async (domain: string, options: OutputOptions) => {
      const clients = await listAll(connect(), instancePath(domain, '/clients'), 'clients')
      const rows = clients.map((each) => [
        each['client_id'],
        each['client_name'],
        each['client_kind'],
        each['pending'] === true ? 'pending' : 'connected',
        each['created_at'],
      ])
      print(options, { clients }, table(['Id', 'Name', 'Kind', 'State', 'Created'], rows))
    },
  )
  subcommand(client, 'show <domain> <client>', 'Shows a client and what it may do.').action(
    async (domain: string, id: string, options: OutputOptions) => {
      const path = instancePath(domain, `/clients/${encodeURIComponent(id)}`)
      const answer = await connect().call('GET', path)
      print(options, answer, members(answer))
    },
  )
  subcommand(client, 'revoke <domain> <client>', 'Ends a client and every token it holds.').action(
    async (domain: string, id: string, options: OutputOptions) => {
      const path = instancePath(domain, `/clients/${encodeURIComponent(id)}`)
      print(options, await connect().call('DELETE', path), `Revoked ${id}.`)
    },
  )
  subcommand(
    client,
    'certify <domain> <client>',
    'Makes a client the trusted one, which may ask for everything.',
  )
    .option('--withdraw', 'take that back: all it holds of everything ends')
    .action(async (domain: string, id: string, options: OutputOptions & { withdraw?: boolean }) => {
      const isWithdrawn = options.withdraw === true
      const path = instancePath(domain, `/clients/${encodeURIComponent(id)}/certify`)
      const answer = await connect().call('POST', path, { withdraw: isWithdrawn })
      const words = isWithdrawn ? 'is not certified any more' : 'is certified'
      print(options, answer, `${clean(answer['client_name'])} ${words}.`)
    })
}

function addOtherCommands(program: Command, connect: () => AdminClient): void {
  subcommand(
    program,
    'mails [domain]',
    'Shows the development mailbox, of all instances or one.',
  ).action(async (domain: string | undefined, options: OutputOptions) => {
    const mails = await listKept(connect(), domain, 'mails')
    const words = mails.map(
      ({ date, to, subject, text }) =>
        `Date: ${clean(date)}\nTo: ${clean(to)}\nSubject: ${clean(subject)}\n\n${String(text)}`,
    )
    print(options, { mails }, words.length === 0 ? 'No mail yet.' : words.join('\n\n'))
  })
}
