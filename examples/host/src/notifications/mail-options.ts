import { readFileSync } from 'node:fs'
import { type DkimOptions, type MailOptions, type MailTransport, smtpTransport } from '@svc/notify'
import { type Config, ConfigError } from '../config/config.ts'
import { parseSmtpUrl } from '../config/smtp-url.ts'

/**
 * How mails leave: into the development mailbox, or by SMTP.
 * @throws ConfigError when they cannot be signed as configured
 */
export function mailOptions(config: Config, mailbox: MailTransport | undefined): MailOptions {
  const { ehlo: localName, from, fromName, replyTo } = config.mail
  // Production without SMTP: mail is off, and the start says so.
  const smtp = config.smtpUrl === undefined ? { host: '-' } : parseSmtpUrl(config.smtpUrl)
  const dkim = dkimOptions(config)
  return {
    transport:
      mailbox ??
      smtpTransport({
        ...smtp,
        ...(localName !== undefined && { localName }),
        ...(dkim !== undefined && { dkim }),
      }),
    ...(from !== undefined && { noreplyAddress: from }),
    ...(fromName !== undefined && { noreplyName: fromName }),
    ...(replyTo !== undefined && { replyTo }),
  }
}

function dkimOptions({ mail }: Config): DkimOptions | undefined {
  const { dkimDomain: domain, dkimSelector: selector, dkimKeyFile: file } = mail
  if (domain === undefined && selector === undefined && file === undefined) return undefined
  if (domain === undefined || selector === undefined || file === undefined) {
    throw new ConfigError([
      'SVC_MAIL_DKIM_DOMAIN, SVC_MAIL_DKIM_SELECTOR, SVC_MAIL_DKIM_KEY_FILE: belong together',
    ])
  }
  return { domain, selector, privateKey: readKey(file) }
}

function readKey(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new ConfigError(['SVC_MAIL_DKIM_KEY_FILE: the file cannot be read'])
  }
}
