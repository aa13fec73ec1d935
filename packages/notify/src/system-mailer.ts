import type { Instance, Logger } from '@svc/oauth-core'
import { createMailer, type Mailer } from './mailer.ts'
import type { MailOptions } from './options.ts'
import type { SystemMail } from './system-mails.ts'
import type { MailTemplates, RenderedMail } from './templates.ts'

/** System mails: sent, or only written. */
export interface SystemMails {
  readonly mailer: Mailer
  render(instance: Instance, mail: SystemMail): Promise<RenderedMail>
}

/** The mails of this server itself; nothing else of the package is loaded for them. */
export function createSystemMails(parts: {
  readonly log: Logger
  readonly mail: MailOptions
}): SystemMails {
  let loading: Promise<MailTemplates> | undefined
  // The template engine costs memory and time that a server without mails need not pay at its start.
  const loadTemplates = (): Promise<MailTemplates> => {
    loading ??= import('./templates.ts').then(({ createTemplates }) => createTemplates())
    return loading
  }
  return {
    mailer: createMailer({ log: parts.log, options: parts.mail, loadTemplates }),
    render: async (instance, mail) => (await loadTemplates()).render(instance, mail),
  }
}
