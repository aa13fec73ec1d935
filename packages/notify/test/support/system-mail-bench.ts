import type { MailOptions } from '../../src/mail/mail-options.ts'
import type { SmtpOptions } from '../../src/mail/smtp-options.ts'
import { smtpTransport } from '../../src/mail/smtp-transport.ts'
import { createSystemMails, type SystemMails } from '../../src/mail/system-mailer.ts'
import { recordedLog } from './recorded-log.ts'

export interface SystemMailBench extends SystemMails {
  readonly lines: string[]
}

/** The mails of the server itself, to an SMTP server on loopback unless `smtp` names another. */
export function systemMails(
  port: number,
  options: Partial<MailOptions> = {},
  smtp: SmtpOptions = {},
): SystemMailBench {
  const { lines, log } = recordedLog()
  const transport = smtpTransport({ host: '127.0.0.1', port, disableTls: true, ...smtp })
  return { ...createSystemMails({ log, mail: { transport, ...options } }), lines }
}
