import type { Instance } from '@svc/oauth-core'
import { createMailer, type Mailer } from './mailer.ts'
import { checkOptions, type NotifyOptions } from './options.ts'
import type { SystemMail } from './system-mails.ts'
import type { MailTemplates, RenderedMail } from './templates.ts'

/** What `createNotify` answers. */
export interface Notify {
  /** For the packages that have mails to send. */
  readonly mailer: Mailer
  /**
   * The words of a mail, sent to nobody: for previews, with `sampleMails`.
   * @throws TypeError when the link of the mail is not one of the instance's own
   */
  render(instance: Instance, mail: SystemMail): Promise<RenderedMail>
}

/**
 * Routes from this server to its owners: mail.
 * @throws TypeError with every fault of the options
 * @example
 * const notify = createNotify({
 *   log,
 *   channels: { mail: { transport: smtpTransport({ host: 'mail.example.org', port: 587 }) } },
 * })
 */
export function createNotify(options: NotifyOptions): Notify {
  checkOptions(options)
  let loading: Promise<MailTemplates> | undefined
  // The template engine costs memory and time that a server without mails need not pay at its start.
  const loadTemplates = (): Promise<MailTemplates> => {
    loading ??= import('./templates.ts').then(({ createTemplates }) => createTemplates())
    return loading
  }
  return {
    mailer: createMailer({ log: options.log, options: options.channels.mail, loadTemplates }),
    render: async (instance, mail) => (await loadTemplates()).render(instance, mail),
  }
}
