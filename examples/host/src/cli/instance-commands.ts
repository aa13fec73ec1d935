import { type Command, Option } from 'commander'
import { addUsageCommand, parseDisk } from './usage-command.ts'
import type { AdminClient } from './admin-client.ts'
import { instancePath, listAll, members, parseCount, subcommand } from './command.ts'
import { clean, type OutputOptions, print, table } from './output.ts'

interface InstanceOptions extends OutputOptions {
  readonly alias?: readonly string[]
  readonly authMode?: string
  readonly block?: boolean
  readonly context?: string
  /** Bytes; null: as everybody. */
  readonly disk?: number | null
  readonly email?: string
  readonly locale?: string
  /** `true`: the flag of `create`. */
  readonly magicLink?: true | 'on' | 'off'
  readonly oauthClientsMax?: number
  readonly passphrase?: string
  readonly phone?: string
  readonly publicName?: string
  readonly timeZone?: string
  readonly unblock?: boolean
}

/** `svc instance …` */
export function addInstanceCommands(program: Command, connect: () => AdminClient): void {
  const instance = program.command('instance').description('Instances: one owner, one domain each.')

  withDetails(
    subcommand(
      instance,
      'create <domain>',
      'Creates an instance; prints the link that onboards it.',
    ),
  )
    .option('--passphrase <text>', 'choose the passphrase now, instead of the link')
    .option('--magic-link', 'its owner logs in with mailed links; without a passphrase only so')
    .action(async (domain: string, options: InstanceOptions) => {
      const { passphrase, magicLink } = options
      const body = { domain, passphrase, magic_link: magicLink, ...detailsOf(options) }
      const answer = await connect().call('POST', '/instances', body)
      const link = answer['onboardingUrl']
      const words = [
        `Created ${clean(answer['origin'])}`,
        ...(link === undefined ? [] : [`Its owner chooses a passphrase at:\n  ${clean(link)}`]),
      ]
      print(options, answer, words.join('\n'))
    })

  subcommand(instance, 'list', 'Lists the instances.').action(async (options: OutputOptions) => {
    const instances = await listAll(connect(), '/instances', 'instances')
    const rows = instances.map(({ domain, status, onboarded, email }) => [
      domain,
      status,
      onboarded === true ? 'yes' : 'no',
      email,
    ])
    print(options, { instances }, table(['Domain', 'Status', 'Onboarded', 'Mail'], rows))
  })

  subcommand(instance, 'show <domain>', 'Shows an instance.').action(
    async (domain: string, options: OutputOptions) => {
      const answer = await connect().call('GET', instancePath(domain))
      print(options, answer, members(answer))
    },
  )

  withDetails(subcommand(instance, 'update <domain>', 'Changes an instance.'))
    .option(
      '--disk <size>',
      'what it may keep, such as `5GiB`; `0`: no limit; `default`: as every instance',
      parseDisk,
    )
    .option('--oauth-clients-max <n>', 'how many clients it may have; -1: no limit', parseCount)
    .addOption(
      new Option('--auth-mode <mode>', 'whether logging in takes a passcode by mail').choices([
        'basic',
        'two_factor_mail',
      ]),
    )
    .addOption(
      new Option('--magic-link <state>', 'whether mailed links log in').choices(['on', 'off']),
    )
    .option(
      '--phone <number>',
      "the owner's phone, for texts, such as +33612345678; `none`: forget it",
    )
    .option('--block', 'take it out of service')
    .option('--unblock', 'put it into service again')
    .action(async (domain: string, options: InstanceOptions) => {
      const body = {
        ...detailsOf(options),
        oauthClientsMax: options.oauthClientsMax,
        diskQuota: options.disk,
        auth_mode: options.authMode,
        phone: options.phone === 'none' ? null : options.phone,
        ...(options.magicLink !== undefined && { magic_link: options.magicLink === 'on' }),
        ...(options.block === true && { blocked: true }),
        ...(options.unblock === true && { blocked: false }),
      }
      const answer = await connect().call('PATCH', instancePath(domain), body)
      print(options, answer, `Changed ${clean(answer['domain'])}.`)
    })

  addUsageCommand(instance, connect)

  subcommand(instance, 'remove <domain>', 'Removes an instance with everything it holds.').action(
    async (domain: string, options: OutputOptions) => {
      print(options, await connect().call('DELETE', instancePath(domain)), `Removed ${domain}.`)
    },
  )

  subcommand(instance, 'onboarding-link <domain>', 'Prints a fresh link for the owner.').action(
    async (domain: string, options: OutputOptions) => {
      const answer = await connect().call('POST', instancePath(domain, '/onboarding-link'))
      print(options, answer, clean(answer['onboardingUrl']))
    },
  )

  subcommand(
    instance,
    'reset-passphrase <domain>',
    'Gives an owner who lost it a new passphrase, and prints it.',
  )
    .option('--passphrase <text>', 'choose it, instead of one that is made up')
    .action(async (domain: string, options: InstanceOptions) => {
      const { passphrase } = options
      const path = instancePath(domain, '/reset-passphrase')
      const answer = await connect().call('POST', path, { passphrase })
      const made = answer['passphrase']
      const words = `The passphrase of ${clean(answer['domain'])} is changed. Every session ended.`
      print(options, answer, made === undefined ? words : `${words}\nIt is now:\n  ${clean(made)}`)
    })
}

function withDetails(command: Command): Command {
  return command
    .option('--email <address>', "the owner's address, the only recipient of mails")
    .option('--public-name <name>', 'name shown on its pages')
    .option('--locale <tag>', 'language of its pages and mails, such as fr')
    .option('--time-zone <name>', 'such as Europe/Paris')
    .option('--context <name>', 'group of instances with common settings')
    .option('--alias <domain...>', 'other domains it answers to')
}

function detailsOf(options: InstanceOptions): Record<string, unknown> {
  const { alias, context, email, locale, publicName, timeZone } = options
  return { aliases: alias, context, email, locale, publicName, timeZone }
}
