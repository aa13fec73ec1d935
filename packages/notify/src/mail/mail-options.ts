import { type Instance, parseAddress, type SlotParagraph } from '@svc/platform'
import { either, func, hooks, object, type Option, port, record, text } from '@svc/platform/options'
import type { MailTransport } from '../ports.ts'

/** Who mails come from, and how they leave. @see notifications.md 10.2 */
export interface MailSettings {
  /** How mails leave: `smtpTransport({ … })`, or the host's own. */
  readonly transport: MailTransport
  /** The sender's address. @defaultValue `noreply@<domain of the instance>` */
  readonly noreplyAddress?: string
  /** Name beside the sender's address; behind that of the app in what an app tells. @defaultValue `theme.name`, else the domain of the instance */
  readonly noreplyName?: string
  /** Where replies go; mails say so. @defaultValue no such header: mails say that replies are not read */
  readonly replyTo?: string
}

/** What mails take of the looks of the pages; what else a theme says is for pages alone. */
export interface MailTheme {
  /** Of the product. */
  readonly name?: string
}

/** Describes a mail to the host, which may add a footer. */
export interface MailSlotContext {
  readonly instance: Instance
  /** BCP 47 tag of the language that the mail is in. */
  readonly locale: string
  /** Which mail it is, such as `passphrase_reset`. */
  readonly template: string
}

/**
 * Paragraphs of the host in a mail, or none. Never markup: what it answers is shown as text. At most 600 characters and
 * 10 paragraphs; paths lead to the instance. It answers at once; one that throws, or answers something else, is left
 * out, and `mail.slot_failed` is logged.
 */
export type MailSlot = (context: MailSlotContext) => readonly SlotParagraph[]

/** Places in mails. */
export interface MailSlots {
  /** Below everything that the mail is about. */
  readonly 'mail.footer'?: MailSlot
}

/** Mails of all instances. */
export interface MailOptions extends MailSettings {
  /** The looks that the pages have, as `createAuthUi` takes them: mails come from its name. @defaultValue no name */
  readonly theme?: MailTheme | ((instance: Instance) => MailTheme | undefined)
  /** Paragraphs and links of the host. @defaultValue none */
  readonly slots?: MailSlots
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
    theme: either(
      func<Extract<MailOptions['theme'], (...given: never) => unknown>>(),
      theme,
    ).optional('no name'),
    slots: hooks<MailSlots>(['mail.footer']).optional('none'),
    contexts: record(context).optional(),
  })
}
