import type { Instance, Logger } from '@svc/platform'
import type { AppMail } from './app-mails.ts'
import { lazyTemplates } from './lazy-templates.ts'
import { repliesOf } from './mail-sender.ts'
import { createMailer, type Mailer } from './mailer.ts'
import type { MailOptions } from './options.ts'
import type { SystemMail } from './system-mails.ts'
import type { MailTemplates, RenderedMail } from './templates.ts'

/** System mails: sent, or only written. */
export interface SystemMails {
  readonly mailer: Mailer
  render(instance: Instance, mail: SystemMail | AppMail): Promise<RenderedMail>
}

/**
 * The mails of this server itself; nothing else of the package is loaded for them.
 * @param parts.loadTemplates - shared with whoever else writes mails; its own by default
 */
export function createSystemMails(parts: {
  readonly log: Logger
  readonly mail: MailOptions
  readonly loadTemplates?: () => Promise<MailTemplates>
}): SystemMails {
  const { log, mail: options } = parts
  const takesReplies = (instance: Instance): boolean => repliesOf(instance, options) !== undefined
  const loadTemplates = parts.loadTemplates ?? lazyTemplates({ takesReplies })
  return {
    mailer: createMailer({ log, options, loadTemplates }),
    render: async (instance, mail) => (await loadTemplates()).render(instance, mail),
  }
}
