import { type Instance, originOfApp } from '@svc/platform'
import type { Json } from '@svc/store'
import type { AppMarkup, MailLinks } from '../mail/app-mails.ts'
import { toBody } from '../mail/clean-text.ts'
import { toOwnLink } from '../mail/mail-model.ts'
import type { SystemMail } from '../mail/system-mails.ts'
import type { NotificationRecord } from '../outbox/notification.ts'
import type { RenderServices } from '../services.ts'
import { actionLinkOf } from './action-link.ts'
import { type AssistantMail, assistantMail } from './assistant-mail.ts'
import { renderTemplate, type TemplateOutcome } from './app-templates.ts'
import { ownHostsOf, posterOf } from './poster.ts'

/** The body of a notification's mail. */
export interface MailContent {
  readonly subject: string
  readonly text: string
  readonly html: string
  /** BCP 47 tag. */
  readonly locale: string
  readonly warnings: readonly string[]
}

/**
 * Writes the mail of a notification: with the words of the request, of the app's template, else title and message, in a
 * frame that says which app it is from (D98).
 */
export async function renderMail(
  services: RenderServices,
  instance: Instance,
  record: NotificationRecord,
  links: MailLinks,
): Promise<MailContent> {
  const builtIn = builtInMail(instance, record)
  if (builtIn !== undefined) {
    const mails = await services.loadTemplates()
    return { ...mails.render(instance, builtIn, links), warnings: [] }
  }
  if (hasWords(record.contentHtml) || hasWords(record.content)) {
    return fromRequest(services, instance, record, links)
  }
  const written = await renderTemplate(services, { key: 'mail', form: 'html' }, instance, record)
  if (typeof written === 'object') {
    return fromTemplate(services, instance, record, links, written.output)
  }
  const laidOut = await layOut(services, instance, record, links, { message: record.message ?? '' })
  return { ...laidOut, warnings: warningsOf(written) }
}

/** Content of the request; `content` is its plain-text form beside `content_html`. */
async function fromRequest(
  services: RenderServices,
  instance: Instance,
  record: NotificationRecord,
  links: MailLinks,
): Promise<MailContent> {
  const content = toBody(record.content ?? '')
  const html = toBody(record.contentHtml ?? '')
  const markup = await toMarkup(services, instance, record, html, content.trim())
  const body =
    markup === undefined ? { message: hasWords(content) ? content : record.message } : { markup }
  return { ...(await layOut(services, instance, record, links, body)), warnings: [] }
}

/** Output of the app's template; `mail.text` is its plain-text form, if present. */
async function fromTemplate(
  services: RenderServices,
  instance: Instance,
  record: NotificationRecord,
  links: MailLinks,
  output: string,
): Promise<MailContent> {
  const template = { key: 'mail.text', form: 'text' } as const
  const written = await renderTemplate(services, template, instance, record)
  const words = typeof written === 'object' ? toBody(written.output).trim() : ''
  const markup = await toMarkup(services, instance, record, toBody(output), words)
  const body = markup === undefined ? { message: record.message } : { markup }
  return {
    ...(await layOut(services, instance, record, links, body)),
    warnings: warningsOf(written),
  }
}

/**
 * Mark-up of an app for the frame, cleaned; undefined when nothing of it is to be read, or nothing could be made of it.
 * @param words - the same in words, where the app wrote that
 */
async function toMarkup(
  { log, oauth, renderWorker }: RenderServices,
  instance: Instance,
  record: NotificationRecord,
  html: string,
  words: string,
): Promise<AppMarkup | undefined> {
  if (!hasWords(html)) return undefined
  try {
    const ownHosts = await ownHostsOf(oauth, instance, record)
    const cleaned = await renderWorker.run({ kind: 'clean', html, ownHosts })
    if (!hasWords(cleaned.replaceAll(/<[^>]*>/g, ''))) return undefined
    const text = words === '' ? toBody(await renderWorker.run({ kind: 'plain', html })) : words
    // What came in a request, and what is a whole document, has a heading of its own.
    const isWhole = hasWords(record.contentHtml) || /<html[\s>]/i.test(html)
    return { html: cleaned, text, isWhole }
  } catch (error) {
    log.warn('notification.text_failed', {
      notification: record.id,
      fault: (error as Error).message,
    })
    return undefined
  }
}

async function layOut(
  { apps, loadTemplates, oauth }: RenderServices,
  instance: Instance,
  record: NotificationRecord,
  links: MailLinks,
  { markup, message }: { readonly message?: string | undefined; readonly markup?: AppMarkup },
): Promise<Omit<MailContent, 'warnings'>> {
  const [poster, action, mails] = await Promise.all([
    posterOf(oauth, apps, instance, record),
    actionLinkOf(oauth.apps, apps, instance, record.data?.['redirectLink']),
    loadTemplates(),
  ])
  return mails.render(instance, {
    template: 'notification',
    variables: {
      title: record.title,
      links,
      ...(poster.name !== undefined && { sender: poster.name }),
      ...(message !== undefined && { message }),
      ...(markup !== undefined && { markup }),
      // A complete document of an app has its own.
      ...(action !== undefined && markup?.isWhole !== true && { action }),
    },
  })
}

function warningsOf(outcome: TemplateOutcome): readonly string[] {
  return outcome === 'failed' ? ['template_error'] : []
}

function hasWords(text = ''): boolean {
  return text.trim() !== ''
}

type BuiltIn =
  | AssistantMail
  | Extract<SystemMail, { template: 'access_ending' | 'oauth_clients_limit' | 'disk_quota' }>

/** The mail of a notification of this server: that of its category (4.3), or undefined. */
export function builtInMail(
  instance: Instance,
  { originator, category, data = {} }: Pick<NotificationRecord, 'originator' | 'category' | 'data'>,
): BuiltIn | undefined {
  if (originator !== 'stack') return undefined
  if (category === 'oauth-clients') {
    return {
      template: 'oauth_clients_limit',
      variables: {
        url: linkOr(instance, data['DevicesLink'], 'apps'),
        clientName: typeof data['ClientName'] === 'string' ? data['ClientName'] : '',
        limit: Number(data['ClientsLimit'] ?? 0) || 0,
      },
    }
  }
  if (category === 'access-ending') {
    return {
      template: 'access_ending',
      variables: {
        url: linkOr(instance, data['AccessLink'], 'apps'),
        clientName: typeof data['ClientName'] === 'string' ? data['ClientName'] : '',
        endsAt: Number(data['EndsAt'] ?? 0) || 0,
      },
    }
  }
  if (category === 'disk-quota') {
    return {
      template: 'disk_quota',
      variables: {
        url: linkOr(instance, data['DriveLink'], 'storage'),
        isFull: data['IsFull'] === true,
      },
    }
  }
  return assistantMail({ category, data }, linkOr(instance, data['AccessLink'], 'apps'))
}

/** A link that is not one of the instance's own would keep the mail from being written. */
function linkOr(instance: Instance, link: Json | undefined, page: string): string {
  const own = typeof link === 'string' ? toOwnLink(instance, link) : undefined
  return own ?? `${originOfApp(instance, 'settings')}/#/${page}`
}
