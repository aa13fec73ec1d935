import type { OAuth } from '@svc/oauth-core'
import type { Instance, Logger } from '@svc/platform'
import { lazyTemplates } from '../mail/system-mailer.ts'
import type { NotificationRecord } from '../outbox/notification.ts'
import type { NotifyApps } from '../ports.ts'
import type { MailTemplates } from '../mail/templates.ts'
import { createAppTemplates } from './app-templates.ts'
import { collapseBlanks, toBody, toTitle } from '../mail/clean-text.ts'
import type { ContentRenderer, TextContent } from './content.ts'
import { createMailWriter } from './notification-mail.ts'
import { createRenderDesk } from './render-worker.ts'

interface RendererParts {
  readonly oauth: Pick<OAuth, 'apps' | 'clients'>
  readonly apps: NotifyApps
  readonly log: Logger
  /** Shared with whoever else writes mails. @defaultValue its own */
  readonly loadTemplates?: () => Promise<MailTemplates>
}

/** Writes what channels send. Engines are loaded, and their thread is started, when a notification first needs them. */
export function createContentRenderer(parts: RendererParts): ContentRenderer {
  const { oauth, apps, log } = parts
  const desk = createRenderDesk()
  const templates = createAppTemplates({ oauth, apps, desk, log })
  const loadTemplates = parts.loadTemplates ?? lazyTemplates()
  const writer = createMailWriter({ oauth, apps, desk, templates, loadTemplates, log })

  async function words(
    channel: 'mobile' | 'sms',
    instance: Instance,
    record: NotificationRecord,
  ): Promise<TextContent> {
    const written = await templates.render(channel, 'text', instance, record)
    const isWritten = typeof written === 'object'
    return {
      title: toTitle(record.title),
      body: isWritten ? collapseBlanks(toBody(written.output)) : toBody(record.message ?? ''),
      warnings: written === 'failed' ? ['template_error'] : [],
    }
  }

  return {
    mobile: (instance, record) => words('mobile', instance, record),
    sms: (instance, record) => words('sms', instance, record),
    mail: (instance, record, links) => writer.write(instance, record, links),
  }
}
