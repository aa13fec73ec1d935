import { parseAddress } from './mail-address.ts'
import type { MailOptions, MailSettings } from './options.ts'

/** What is wrong with the options of mails, each with its path. */
export function mailFaults(mail: MailOptions): string[] {
  const faults: string[] = []
  if (typeof mail.transport?.send !== 'function') {
    faults.push('options.channels.mail.transport: has no send()')
  }
  const rows: [string, Partial<MailSettings>][] = [
    ['options.channels.mail', mail],
    ...Object.entries(mail.contexts ?? {}).map(
      ([name, context]): [string, Partial<MailSettings>] => [
        `options.channels.mail.contexts.${name}`,
        context,
      ],
    ),
  ]
  for (const [path, row] of rows) {
    for (const member of ['noreplyAddress', 'replyTo'] as const) {
      const value = row[member]
      if (value !== undefined && parseAddress(value) === undefined) {
        faults.push(`${path}.${member}: is not one plain mail address`)
      }
    }
  }
  return faults
}
