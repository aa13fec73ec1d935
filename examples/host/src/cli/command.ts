import { type Command, InvalidArgumentError } from 'commander'
import type { AdminClient } from './admin-client.ts'
import { clean, listOf } from './output.ts'

/** Path of an instance in the admin API. */
export function instancePath(domain: string, rest = ''): string {
  return `/instances/${encodeURIComponent(domain)}${rest}`
}

/** A subcommand with the options all of them have. */
export function subcommand(parent: Command, usage: string, description: string): Command {
  return parent.command(usage).description(description).option('--json', 'print JSON')
}

/** Every page of a list. */
export async function listAll(
  admin: AdminClient,
  path: string,
  member: string,
): Promise<Record<string, unknown>[]> {
  const all: Record<string, unknown>[] = []
  let cursor: unknown
  do {
    const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(String(cursor))}`
    const page = await admin.call('GET', `${path}${query}`)
    all.push(...listOf(page[member]))
    cursor = page['cursor']
  } while (cursor !== undefined)
  return all
}

/** What the development mailbox or outbox of an instance, else of all of them, holds; newest first. */
export async function listKept(
  admin: AdminClient,
  domain: string | undefined,
  name: 'mails' | 'outbox',
): Promise<Record<string, unknown>[]> {
  const domains =
    domain === undefined
      ? (await listAll(admin, '/instances', 'instances')).map((each) => String(each['domain']))
      : [domain]
  const kept: Record<string, unknown>[] = []
  for (const each of domains) {
    const answer = await admin.call('GET', instancePath(each, `/${name}`))
    kept.push(...listOf(answer[name === 'mails' ? 'mails' : 'entries']))
  }
  return kept.toSorted((one, other) => String(other['date']).localeCompare(String(one['date'])))
}

/** `name: value` lines. */
export function members(answer: Readonly<Record<string, unknown>>): string {
  return Object.entries(answer)
    .map(([name, value]) => {
      const isPlain = typeof value !== 'object' || value === null
      return `${name}: ${clean(isPlain ? value : JSON.stringify(value))}`
    })
    .join('\n')
}

/** A number of an option. */
export function parseCount(text: string): number {
  if (!/^-?\d{1,7}$/.test(text)) throw new InvalidArgumentError('must be a whole number')
  return Number(text)
}
