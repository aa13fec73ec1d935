import type { OAuth } from '@svc/oauth-core'
import { type Instance, type Logger, originOfApp } from '@svc/platform'
import type { Json } from '@svc/store'
import type { MailLinks } from '../mail/app-mails.ts'
import { toBody, toTitle } from '../mail/clean-text.ts'
import { toOwnLink } from '../mail/own-link.ts'
import type { SystemMail } from '../mail/system-mails.ts'
import type { MailTemplates } from '../mail/templates.ts'
import type { NotificationRecord } from '../outbox/notification.ts'
import type { NotifyApps } from '../ports.ts'
import { actionLinkOf } from './action-link.ts'
import type { AppTemplates, TemplateOutcome } from './app-templates.ts'
import type { MailContent } from './content.ts'
import { posterOf } from './poster.ts'
import type { RenderDesk } from './render-worker.ts'

interface WriterParts {
  readonly oauth: Pick<OAuth, 'apps' | 'clients'>
  readonly apps: NotifyApps
  readonly desk: RenderDesk
  readonly templates: AppTemplates
  readonly loadTemplates: () => Promise<MailTemplates>
  readonly log: Logger
}

/** Mails of notifications: as the request wrote them, as the app's template does, else laid out by this server. */
export interface MailWriter {
  write(instance: Instance, record: NotificationRecord, links: MailLinks): Promise<MailContent>
}

export function createMailWriter(parts: WriterParts): MailWriter {
  const { oauth, apps, desk, templates, loadTemplates, log } = parts

  /** The mark-up in words; empty when nothing can be made of it. */
  async function toWords(html: string, record: NotificationRecord): Promise<string> {
    try {
      return toBody(await desk.run({ kind: 'plain', html })).trim()
    } catch (error) {
      log.warn('notification.text_failed', {
        notification: record.id,
        fault: (error as Error).message,
      })
      return ''
    }
  }

  /** What the request itself brought: `content_html` goes out as it is. */
  async function fromRequest(
    instance: Instance,
    record: NotificationRecord,
    links: MailLinks,
  ): Promise<MailContent> {
    const { contentHtml = '', content = '' } = record
    const html = toBody(contentHtml)
    const given = toBody(content)
    const subject = toTitle(record.title)
    if (html.trim() === '') {
      const laidOut = await layOut(instance, record, links, { message: given })
      return { ...laidOut, text: given, warnings: [] }
    }
    const text = given.trim() === '' ? await toWords(html, record) : given
    const { message } = record
    return {
      subject,
      text:
        text === '' ? toBody(message === undefined ? subject : `${subject}\n\n${message}`) : text,
      html,
      locale: instance.locale,
      warnings: [],
    }
  }

  async function layOut(
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

  /** What the app's template made; `mail.text` is its plain-text form when there is one. */
  async function fromTemplate(
    instance: Instance,
    record: NotificationRecord,
    links: MailLinks,
    output: string,
  ): Promise<MailContent> {
    const html = toBody(output)
    const written = await templates.render('mail.text', 'text', instance, record)
    const warnings = warningsOf(written)
    const text =
      typeof written === 'object' ? toBody(written.output).trim() : await toWords(html, record)
    if (!/<html[\s>]/i.test(html)) {
      const laidOut = await layOut(instance, record, links, { markup: { html, text } })
      return { ...laidOut, warnings }
    }
    const subject = toTitle(record.title)
    return { subject, html, text: text === '' ? subject : text, locale: instance.locale, warnings }
  }

  return {
    async write(instance, record, links) {
      const builtIn = builtInMail(instance, record)
      if (builtIn !== undefined) {
        const mails = await loadTemplates()
        return { ...mails.render(instance, builtIn, links), warnings: [] }
      }
      if (hasWords(record.contentHtml) || hasWords(record.content)) {
        return fromRequest(instance, record, links)
      }
      const written = await templates.render('mail', 'html', instance, record)
      if (typeof written === 'object') return fromTemplate(instance, record, links, written.output)
      const laidOut = await layOut(instance, record, links, { message: record.message ?? '' })
      return { ...laidOut, warnings: warningsOf(written) }
    },
  }
}

function warningsOf(outcome: TemplateOutcome): readonly string[] {
  return outcome === 'failed' ? ['template_error'] : []
}

function hasWords(text = ''): boolean {
  return text.trim() !== ''
}

type BuiltIn = Extract<SystemMail, { template: 'oauth_clients_limit' | 'disk_quota' }>

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
        url: linkOr(instance, data['DevicesLink'], 'clients'),
        clientName: typeof data['ClientName'] === 'string' ? data['ClientName'] : '',
        limit: Number(data['ClientsLimit'] ?? 0) || 0,
      },
    }
  }
  return category === 'disk-quota'
    ? {
        template: 'disk_quota',
        variables: { url: linkOr(instance, data['DriveLink'], 'storage') },
      }
    : undefined
}

/** A link that is not one of the instance's own would keep the mail from being written. */
function linkOr(instance: Instance, link: Json | undefined, page: string): string {
  const own = typeof link === 'string' ? toOwnLink(instance, link) : undefined
  return own ?? `${originOfApp(instance, 'settings')}/#/${page}`
}
