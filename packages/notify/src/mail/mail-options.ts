import { parseAddress } from '@svc/platform'
import { object, type Option, port, record, text } from '@svc/platform/options'
import type { MailTransport } from '../ports.ts'

/** Who mails come from, and how they leave. @see notifications.md 10.2 */
export interface MailSettings {
  /** How mails leave: `smtpTransport({ … })`, or the host's own. */
  readonly transport: MailTransport
  /** The sender's address. @defaultValue `noreply@<domain of the instance>` */
  readonly noreplyAddress?: string
  /** Name beside the sender's address; behind that of the app in what an installed app tells. @defaultValue `theme.name`, else the domain of the instance */
  readonly noreplyName?: string
  /** Where replies go; mails say so. @defaultValue no such header: mails say that nobody reads replies */
  readonly replyTo?: string
}

/** What mails take of the looks of the pages; what else a theme says is for pages alone. */
export interface MailTheme {
  /** Of the product. */
  readonly name?: string
}

/** Mails of all instances. */
export interface MailOptions extends MailSettings {
  /** The looks that the pages have, as `createAuthUi` takes them: mails come from its name. @defaultValue no name */
  readonly theme?: MailTheme
  /** Other settings for the instances of a context, by its name. */
  readonly contexts?: Readonly<Record<string, Partial<MailSettings>>>
}

/** The option that holds them. */
export function mailOptions(): Option<MailOptions> {
  const transport = port<MailTransport>(['send'])
  const address = text('one plain mail address', (written) => parseAddress(written) !== undefined)
  const settings = {
    noreplyAddress: address.optional('`noreply@<domain of the instance>`'),
    noreplyName: text('a text', {}).optional('`theme.name`, else the domain of the instance'),
    replyTo: address.optional(),
  }
  const context = object({ ...settings, transport: transport.optional('the one beside') })
  const theme = port<MailTheme>([]).that(({ name }) =>
    name === undefined || (typeof name === 'string' && name !== '')
      ? undefined
      : 'has a name that is no text',
  )
  return object({
    ...settings,
    transport,
    theme: theme.optional('no name'),
    contexts: record(context).optional(),
  })
}
