import { type Instance, readParagraphs, type ShownPart } from '@svc/platform'
import type { NotifyLog } from '../log/log-events.ts'
import type { MailOptions, MailSlotContext } from './mail-options.ts'

/** Paragraphs below a mail, for both of its forms. */
export type MailFooter = readonly (readonly ShownPart[])[]

/** Asks the host what it says below a mail. */
export type FooterOf = (context: MailSlotContext) => MailFooter

/** The host's footer; empty when the host failed, since mails are sent anyway. */
export function mailFooter(
  { slots }: Pick<MailOptions, 'slots'>,
  log: Pick<NotifyLog, 'error'>,
): FooterOf {
  return function footerOf(context) {
    const slot = slots?.['mail.footer']
    if (slot === undefined) return []
    try {
      return readParagraphs(slot(context), context.instance.origin)
    } catch (cause) {
      const { domain } = context.instance
      log.error('mail.slot_failed', { domain, template: context.template, cause: String(cause) })
      return []
    }
  }
}

/** One paragraph in words: links with their addresses. */
export function inWords(paragraph: readonly ShownPart[]): string {
  return paragraph.map(({ text, href }) => (href === undefined ? text : `${text} ${href}`)).join('')
}

/** Name of the product, where the host has looks for an instance. */
export function productName(
  { theme }: Pick<MailOptions, 'theme'>,
  instance: Instance,
): string | undefined {
  if (typeof theme !== 'function') return theme?.name
  try {
    const name: unknown = theme(instance)?.name
    return typeof name === 'string' && name !== '' ? name : undefined
  } catch {
    // The pages log it; the mail uses the domain as name.
    return undefined
  }
}
