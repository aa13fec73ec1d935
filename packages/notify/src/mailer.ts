import { randomUUID } from 'node:crypto'
import type { Instance, Logger } from '@svc/oauth-core'
import { isMailError, MailError } from './mail-error.ts'
import { type MailAddress, parseAddress, toHeaderText } from './mail-address.ts'
import type { MailOptions } from './options.ts'
import type { MailTransport, OutgoingMail } from './ports.ts'
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
  return {
    async send(instance, mail) {
      const fields = { domain: instance.domain, template: mail.template }
      try {
        const to = recipientOf(instance, mail)
        const templates = await loadTemplates()
        const outgoing: OutgoingMail = {
          messageId: `<${randomUUID()}@${hostOf(instance.domain)}>`,
          instanceId: instance.id,
          domain: instance.domain,
          template: mail.template,
          ...sendersOf(instance, options),
          to,
          ...templates.render(instance, mail),
        }
        await transportOf(instance, options).send(outgoing)
        log.info('mail.sent', { ...fields, messageId: outgoing.messageId })
      } catch (error) {
        log.error('mail.failed', {
          ...fields,
          ...(isMailError(error)
            ? { failure: error.failure, reason: error.reason, detail: error.detail }
            : { failure: 'config', reason: (error as Error).name }),
        })
        throw error
      }
    },
  }
}

function recipientOf(instance: Instance, mail: SystemMail): MailAddress {
  const isPending = mail.template === 'update_email'
  // Its link proves who reads the new address: in the old mailbox it would prove nothing.
  const written = isPending ? mail.variables.recipient : instance.email
  if (written === undefined) throw new MailError('permanent', 'no_email')
  const address = parseAddress(written)
  if (address === undefined) throw new MailError('permanent', 'bad_email')
  const name = isPending ? '' : toHeaderText(instance.publicName ?? '', 100)
  return name === '' ? { address } : { name, address }
}

function sendersOf(
  instance: Instance,
  options: MailOptions,
): { from: MailAddress; replyTo?: MailAddress } {
  const context = contextOf(instance, options)
  const name = context.noreplyName ?? options.noreplyName
  const address =
    context.noreplyAddress ?? options.noreplyAddress ?? `noreply@${hostOf(instance.domain)}`
  const replyTo = context.replyTo ?? options.replyTo
  const named = (text: string): MailAddress => ({
    ...(name !== undefined && { name: toHeaderText(name, 100) }),
    address: text,
  })
  return { from: named(address), ...(replyTo !== undefined && { replyTo: named(replyTo) }) }
}

function transportOf(instance: Instance, options: MailOptions): MailTransport {
  return contextOf(instance, options).transport ?? options.transport
}

function contextOf(instance: Instance, options: MailOptions): Partial<MailOptions> {
  const { context } = instance
  if (context === undefined || options.contexts === undefined) return {}
  return Object.hasOwn(options.contexts, context) ? (options.contexts[context] ?? {}) : {}
}

function hostOf(domain: string): string {
  return domain.replace(/:\d+$/, '')
}
