import type { Instance } from '@svc/platform'
import { collapseBlanks, toBody, toTitle } from '../mail/clean-text.ts'
import type { NotificationRecord } from '../outbox/notification.ts'
import type { RenderServices } from '../services.ts'
import { renderTemplate } from './app-templates.ts'

/** The words of a notification for one channel, cleaned (10 "Control characters"), not yet cut to size. */
export interface TextContent {
  readonly title: string
  readonly body: string
  /** Such as `template_error`. */
  readonly warnings: readonly string[]
}

/** Writes what a push or a text says: from the app's template, or title and message. @see notifications.md 10 */
export async function renderText(
  services: RenderServices,
  channel: 'mobile' | 'sms',
  instance: Instance,
  record: NotificationRecord,
): Promise<TextContent> {
  const written = await renderTemplate(services, { key: channel, form: 'text' }, instance, record)
  const isWritten = typeof written === 'object'
  return {
    title: toTitle(record.title),
    body: isWritten ? collapseBlanks(toBody(written.output)) : toBody(record.message ?? ''),
    warnings: written === 'failed' ? ['template_error'] : [],
  }
}
