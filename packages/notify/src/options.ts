import type { Logger } from '@svc/oauth-core'
import { parseAddress } from './mail-address.ts'
import type { MailTransport } from './ports.ts'

/** Who mails come from, and how they leave. @see notifications.md 10.2 */
export interface MailSettings {
  /** How mails leave: `smtpTransport({ … })`, or the host's own. */
  readonly transport: MailTransport
  /** @defaultValue `noreply@<domain of the instance>` */
  readonly noreplyAddress?: string
  /** Name beside the sender's address. */
  readonly noreplyName?: string
  /** Where answers go; absent: no such header. */
  readonly replyTo?: string
}

export interface MailOptions extends MailSettings {
  /** Other settings for the instances of a context, by its name. */
  readonly contexts?: Readonly<Record<string, Partial<MailSettings>>>
}

export interface NotifyOptions {
  /** Where mails are told, without their codes, links and addresses. */
  readonly log: Logger
  readonly channels: { readonly mail: MailOptions }
}

/** @throws TypeError with every fault at once, each with its path */
export function checkOptions(options: NotifyOptions): void {
  const faults: string[] = []
  const { mail } = options.channels
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
  if (faults.length > 0) throw new TypeError(faults.join('; '))
}
