import type { Instance, Logger, Mailer } from '@svc/platform'
import {
  defineOptions,
  func,
  type OptionsDefinition,
  type OptionsFor,
  port,
  type Settled,
} from '@svc/platform/options'
import { randomUUID } from 'node:crypto'
import type { AppMail } from './app-mails.ts'
import { isMailError } from './mail-error.ts'
import { mailFooter } from './mail-footer.ts'
import { type MailOptions, mailOptions } from './mail-options.ts'
import { hostOf, repliesOf, sendToOwner, sendToPending, type WrittenMail } from './mail-sender.ts'
import type { SystemMail } from './system-mails.ts'
import type { MailTemplates, RenderedMail, TemplatesOptions } from './templates.ts'

/** System mails: sent, or only written. */
export interface SystemMails {
  readonly mailer: Mailer
  render(instance: Instance, mail: SystemMail | AppMail): Promise<RenderedMail>
}

/** Options of {@link createSystemMails}. */
export interface SystemMailsOptions {
  /** Takes lines for the operator. */
  readonly log: Logger
  /** Who mails come from, and how they leave. */
  readonly mail: MailOptions
  /** Shared with other writers of mails. @defaultValue its own */
  readonly loadTemplates?: () => Promise<MailTemplates>
}

export const SYSTEM_MAILS_OPTIONS: OptionsDefinition<Settled<SystemMailsOptions>> = defineOptions({
  log: port<Logger>(['info', 'warn', 'error']),
  mail: mailOptions(),
  loadTemplates: func<() => Promise<MailTemplates>>().orFrom(
    ({ log, mail }: SystemMailsOptions) =>
      lazyTemplates({
        takesReplies: (instance) => repliesOf(instance, mail) !== undefined,
        footerOf: mailFooter(mail, log),
      }),
    'its own',
  ),
} satisfies OptionsFor<SystemMailsOptions>)

/**
 * The mails of this server itself; nothing else of the package is loaded for them.
 * @throws TypeError listing every fault of the options with its path
 */
export function createSystemMails(given: SystemMailsOptions): SystemMails {
  const { log, mail: options, loadTemplates } = SYSTEM_MAILS_OPTIONS.settle(given)
  return {
    mailer: createMailer({ log, options, loadTemplates }),
    render: async (instance, mail) => (await loadTemplates()).render(instance, mail),
  }
}

export type { Mailer } from '@svc/platform'
import type { NotifyLog } from '../log/log-events.ts'

interface MailerParts {
  readonly log: NotifyLog
  readonly options: MailOptions
  /** Loaded with the first mail. */
  readonly loadTemplates: () => Promise<MailTemplates>
}

/** Its mails fail with a `MailError`: `permanent` without a usable address, else as the transport says. */
export function createMailer({ log, options, loadTemplates }: MailerParts): Mailer {
  const sender = { options }
  return {
    async send(instance, mail) {
      const fields = { domain: instance.domain, template: mail.template }
      try {
        const templates = await loadTemplates()
        const written: WrittenMail = {
          messageId: `<${randomUUID()}@${hostOf(instance.domain)}>`,
          template: mail.template,
          ...templates.render(instance, mail),
        }
        // Its link proves who reads the new address: in the old mailbox it would prove nothing.
        const end =
          mail.template === 'update_email'
            ? await sendToPending(sender, instance, mail.variables.recipient, written)
            : await sendToOwner(sender, instance, written)
        log.info(`mail.${end}`, { ...fields, messageId: written.messageId })
      } catch (error) {
        log.error('mail.failed', { ...fields, ...failureFields(error) })
        throw error
      }
    },
  }
}

/** What log lines say of a mail that did not go out; no address and no words of the server. */
export function failureFields(error: unknown): FailureFields {
  return isMailError(error)
    ? { failure: error.failure, reason: error.reason, detail: error.detail }
    : { failure: 'config', reason: (error as Error).name }
}

interface FailureFields {
  readonly failure: string
  readonly reason: string
  readonly detail?: string | undefined
}

/** Loads the template engine when a mail is written: a server without mails need not pay for it at its start. */
export function lazyTemplates(options: TemplatesOptions = {}): () => Promise<MailTemplates> {
  let loading: Promise<MailTemplates> | undefined
  return () => {
    loading ??= import('./templates.ts').then(({ createTemplates }) => createTemplates(options))
    return loading
  }
}
