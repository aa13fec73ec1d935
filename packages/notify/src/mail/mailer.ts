import { randomUUID } from 'node:crypto'
import type { Instance, Logger } from '@svc/platform'
import { isMailError } from './mail-error.ts'
import { createMailSender, hostOf, type WrittenMail } from './mail-sender.ts'
import type { MailOptions } from './mail-options.ts'
import type { SystemMail } from './system-mails.ts'
import type { MailTemplates } from './templates.ts'

/** Sends system mails to the owner of an instance. Satisfies the port of the login pages. */
export interface Mailer {
  /**
   * Resolves when the mail was accepted. The only recipient is the owner's address in the instance's settings; for
   * `update_email` the address that is to become it.
   * @throws MailError `permanent` without a usable address, else as the transport says
   */
  send(instance: Instance, mail: SystemMail): Promise<void>
}

interface MailerParts {
  readonly log: Logger
  readonly options: MailOptions
  /** Loaded with the first mail. */
  readonly loadTemplates: () => Promise<MailTemplates>
}

export function createMailer({ log, options, loadTemplates }: MailerParts): Mailer {
  const sender = createMailSender(options)
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
        if (mail.template === 'update_email') {
          await sender.toPending(instance, mail.variables.recipient, written)
        } else await sender.toOwner(instance, written)
        log.info('mail.sent', { ...fields, messageId: written.messageId })
      } catch (error) {
        log.error('mail.failed', { ...fields, ...failureFields(error) })
        throw error
      }
    },
  }
}

/** What log lines say of a mail that did not go out; no address and no words of the server. */
export function failureFields(error: unknown): Readonly<Record<string, unknown>> {
  return isMailError(error)
    ? { failure: error.failure, reason: error.reason, detail: error.detail }
    : { failure: 'config', reason: (error as Error).name }
}
