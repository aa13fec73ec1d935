import { type Command, Option } from 'commander'
import type { AdminClient } from './admin-client.ts'
import { instancePath, listAll, listKept, members, subcommand } from './command.ts'
import { clean, type OutputOptions, print, table } from './output.ts'

interface SendOptions extends OutputOptions {
  readonly title: string
  readonly message?: string
  readonly category?: string
  readonly channel?: readonly string[]
  readonly priority?: string
  readonly at?: string
}

/** `svc notification …` and `svc outbox` */
export function addNotificationCommands(program: Command, connect: () => AdminClient): void {
  const notification = program
    .command('notification')
    .description('What owners are told, and what became of it.')
  subcommand(notification, 'send <domain>', 'Tells the owner of an instance something.')
    .requiredOption('--title <text>', 'what it is about')
    .option('--message <text>', 'what there is to say')
    .option('--category <name>', 'kind of notification', 'operator')
    .addOption(
      new Option(
        '--channel <name...>',
        'how it is to reach the owner, in this order; mail is always the last resort',
      ).choices(['mobile', 'sms', 'mail']),
    )
    .addOption(new Option('--priority <name>', 'how urgent it is').choices(['high', 'normal']))
    .option('--at <time>', 'not before, such as 2026-11-23T08:30:00+01:00')
    .action(async (domain: string, options: SendOptions) => {
      const { title, message, category, channel, priority, at } = options
      const given = { title, message, category, preferred_channels: channel, priority, at }
      const body = { notification: given }
      const path = instancePath(domain, '/notifications')
      const answer = await connect().call('POST', path, body)
      print(
        options,
        answer,
        `The notification ${clean(answer['id'])} is ${clean(answer['status'])}.`,
      )
    })

  subcommand(notification, 'list <domain>', 'Lists what an owner was told, oldest first.').action(
    async (domain: string, options: OutputOptions) => {
      const path = instancePath(domain, '/notifications')
      const notifications = await listAll(connect(), path, 'notifications')
      const rows = notifications.map((each) => [
        each['id'],
        each['scheduled_at'],
        each['slug'] ?? each['originator'],
        each['category'],
        each['status'],
        each['reason'] ?? each['channel'],
        each['title'],
      ])
      const headings = ['Id', 'Time', 'From', 'Category', 'Status', 'How', 'Title']
      print(options, { notifications }, table(headings, rows))
    },
  )

  subcommand(notification, 'show <domain> <id>', 'Shows one, with every try to deliver it.').action(
    async (domain: string, id: string, options: OutputOptions) => {
      const answer = await connect().call('GET', pathOf(domain, id))
      print(options, answer, members(answer))
    },
  )

  subcommand(notification, 'cancel <domain> <id>', 'Takes back what is not sent yet.').action(
    async (domain: string, id: string, options: OutputOptions) => {
      print(options, await connect().call('DELETE', pathOf(domain, id)), `Cancelled ${id}.`)
    },
  )

  subcommand(
    program,
    'outbox [domain]',
    'Shows the development outbox of pushes and texts, of all instances or one.',
  ).action(async (domain: string | undefined, options: OutputOptions) => {
    const entries = await listKept(connect(), domain, 'outbox')
    const words = entries.map(wordsOf)
    print(options, { entries }, words.length === 0 ? 'Nothing yet.' : words.join('\n\n'))
  })
}

function wordsOf(entry: Readonly<Record<string, unknown>>): string {
  const date = `Date: ${clean(entry['date'])}`
  if (entry['kind'] === 'text') {
    return `${date}\nText to: ${clean(entry['number'])}\n\n${clean(entry['text'])}`
  }
  const { device, platform, title, body, data } = entry
  const to = `Push to: ${clean(device)} (${clean(platform)})`
  return `${date}\n${to}\nTitle: ${clean(title)}\nData: ${clean(JSON.stringify(data))}\n\n${clean(body)}`
}

function pathOf(domain: string, id: string): string {
  return instancePath(domain, `/notifications/${encodeURIComponent(id)}`)
}
