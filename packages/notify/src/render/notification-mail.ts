import { type Instance, originOfApp } from '@svc/platform'
import type { Json } from '@svc/store'
import type { MailLinks } from '../mail/app-mails.ts'
import { toBody, toTitle } from '../mail/clean-text.ts'
import { toOwnLink } from '../mail/mail-model.ts'
import type { SystemMail } from '../mail/system-mails.ts'
import type { NotificationRecord } from '../outbox/notification.ts'
import type { RenderServices } from '../services.ts'
import { actionLinkOf } from './action-link.ts'
import { type AssistantMail, assistantMail } from './assistant-mail.ts'
import { renderTemplate, type TemplateOutcome } from './app-templates.ts'
import { posterOf } from './poster.ts'

/** The body of a notification's mail. */
export interface MailContent {
  readonly subject: string
  readonly text: string
  readonly html: string
  /** BCP 47 tag. */
  readonly locale: string
  readonly warnings: readonly string[]
}

/** Writes the mail of a notification: as the request wrote it, as the app's template does, else laid out by this server. */
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

/** What the request itself brought: `content_html` goes out as it is. */
async function fromRequest(
  services: RenderServices,
  instance: Instance,
  record: NotificationRecord,
  links: MailLinks,
): Promise<MailContent> {
  const { contentHtml = '', content = '', message } = record
  const html = toBody(contentHtml)
  const given = toBody(content)
  const subject = toTitle(record.title)
  if (html.trim() === '') {
    const laidOut = await layOut(services, instance, record, links, { message: given })
    return { ...laidOut, text: given, warnings: [] }
  }
  const text = given.trim() === '' ? await toWords(services, html, record) : given
  return {
    subject,
    text: text === '' ? toBody(message === undefined ? subject : `${subject}\n\n${message}`) : text,
    html,
    locale: instance.locale,
    warnings: [],
  }
}

/** What the app's template made; `mail.text` is its plain-text form when there is one. */
async function fromTemplate(
  services: RenderServices,
  instance: Instance,
  record: NotificationRecord,
  links: MailLinks,
  output: string,
): Promise<MailContent> {
  const html = toBody(output)
  const template = { key: 'mail.text', form: 'text' } as const
  const written = await renderTemplate(services, template, instance, record)
  const warnings = warningsOf(written)
  const text =
    typeof written === 'object'
      ? toBody(written.output).trim()
      : await toWords(services, html, record)
  if (!/<html[\s>]/i.test(html)) {
    const laidOut = await layOut(services, instance, record, links, { markup: { html, text } })
    return { ...laidOut, warnings }
  }
  const subject = toTitle(record.title)
  return { subject, html, text: text === '' ? subject : text, locale: instance.locale, warnings }
}

async function layOut(
  { apps, loadTemplates, oauth }: RenderServices,
  instance: Instance,
  record: NotificationRecord,
  links: MailLinks,
  body: { message?: string; markup?: { html: string; text: string } },
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
      ...(body.message !== undefined && { message: body.message }),
      ...(body.markup !== undefined && { markup: body.markup }),
      ...(action !== undefined && { action }),
    },
  })
}

/** The mark-up in words; empty when nothing can be made of it. */
async function toWords(
  { log, renderWorker }: RenderServices,
  html: string,
  record: NotificationRecord,
): Promise<string> {
  try {
    return toBody(await renderWorker.run({ kind: 'plain', html })).trim()
  } catch (error) {
    log.warn('notification.text_failed', {
      notification: record.id,
      fault: (error as Error).message,
    })
    return ''
  }
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
