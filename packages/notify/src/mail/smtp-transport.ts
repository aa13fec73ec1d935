import type { Transporter } from 'nodemailer'
import { MailError, type MailFailure } from './mail-error.ts'
import type { MailTransport, OutgoingMail } from '../ports.ts'
import { toDkim } from './dkim.ts'
import { toHeaderText } from './mail-address.ts'
import { SMTP_OPTIONS, type SettledSmtpOptions, type SmtpOptions } from './smtp-options.ts'

/** Connecting, and one whole attempt, milliseconds. @see notifications.md 10.6, security.md 98 */
export const ATTEMPT_MS = 10_000

/**
 * Hands mails to an SMTP server, one connection each. nodemailer is loaded with the first mail.
 * @throws TypeError listing every fault of the options with its path
 */
export function smtpTransport(given: SmtpOptions): MailTransport {
  const options = SMTP_OPTIONS.settle(given)
  if (options.host === '-') return { send: () => Promise.resolve() }
  return {
    async send(mail, signal) {
      const transporter = await createTransporter(options, mail.from.address.split('@').at(-1))
      const timeout = AbortSignal.timeout(ATTEMPT_MS)
      const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
      try {
        await transporter.sendMail({ ...toMessage(mail), signal: either })
      } catch (error) {
        throw toMailError(error)
      }
    },
  }
}

/**
 * Connects to an SMTP server, with TLS and the login that mails would use, and hands nothing over.
 * @throws MailError saying what went wrong; its detail holds the server's reply: it names no recipient
 * @throws TypeError listing every fault of the options with its path
 */
export async function verifySmtp(given: SmtpOptions): Promise<void> {
  const transporter = await createTransporter(SMTP_OPTIONS.settle(given))
  try {
    await transporter.verify()
  } catch (error) {
    throw toMailError(error, true)
  } finally {
    transporter.close()
  }
}

async function createTransporter(
  options: SettledSmtpOptions,
  senderDomain?: string,
): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  const { host, port, localName = senderDomain, username, password, useSsl, disableTls } = options
  return createTransport({
    host,
    port,
    ...(localName !== undefined && { name: localName }),
    secure: useSsl,
    requireTLS: !useSsl && !disableTls,
    ignoreTLS: disableTls,
    tls: {
      minVersion: 'TLSv1.2',
      rejectUnauthorized: !options.skipCertificateValidation,
    },
    ...((username !== undefined || password !== undefined) && {
      auth: { user: username ?? '', pass: password ?? '' },
    }),
    connectionTimeout: ATTEMPT_MS,
    dnsTimeout: ATTEMPT_MS,
    greetingTimeout: ATTEMPT_MS,
    socketTimeout: ATTEMPT_MS,
    // Nothing of a mail's content may make the server read a file or fetch an address.
    disableFileAccess: true,
    disableUrlAccess: true,
    logger: false,
    ...(options.dkim !== undefined && { dkim: toDkim(options.dkim) }),
  }) as Transporter
}

function toMessage(mail: OutgoingMail): Parameters<Transporter['sendMail']>[0] {
  const person = ({ name, address }: OutgoingMail['to']): { name: string; address: string } => ({
    name: literal(name ?? ''),
    address,
  })
  return {
    messageId: mail.messageId,
    from: person(mail.from),
    to: person(mail.to),
    ...(mail.replyTo !== undefined && { replyTo: person(mail.replyTo) }),
    envelope: { from: mail.from.address, to: [mail.to.address] },
    subject: literal(mail.subject),
    text: mail.text,
    html: mail.html,
    textEncoding: 'quoted-printable',
    headers: {
      'Auto-Submitted': 'auto-generated',
      'Content-Language': mail.locale,
      'X-Auto-Response-Suppress': 'All',
      'X-Svc': mail.domain,
      ...listHeaders(mail),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** Words that look like an encoded word (RFC 2047) would be decoded where they arrive, line ends in them too. */
function literal(text: string): string {
  return text.replaceAll('=?', '=\u2060?')
}

/** @see RFC 8058 section 3.1, RFC 2919. `prepared`: on one line, since some relays sign folded ones wrongly. */
function listHeaders({
  unsubscribe,
}: OutgoingMail): Record<string, { prepared: true; value: string }> {
  if (unsubscribe === undefined) return {}
  const line = (value: string): { prepared: true; value: string } => ({ prepared: true, value })
  return {
    'List-Id': line(`<${unsubscribe.listId}>`),
    'List-Unsubscribe': line(`<${unsubscribe.url}>`),
    'List-Unsubscribe-Post': line('List-Unsubscribe=One-Click'),
  }
}

/** What nodemailer puts on its errors. */
interface SmtpError extends Error {
  readonly code?: string
  readonly originalCode?: string
  readonly response?: string
  readonly responseCode?: number
  readonly command?: string
}

function toMailError(thrown: unknown, withReply = false): MailError {
  const error = thrown as SmtpError // nodemailer rejects with its own errors, or with an AbortError.
  const { code = 'unknown', command = 'none', response, responseCode } = error
  const reason =
    responseCode === undefined ? (REASONS[code] ?? code.toLowerCase()) : `smtp_${responseCode}`
  const place = `${code} at ${command}${error.originalCode === undefined ? '' : ` (${error.originalCode})`}`
  // The server's own text may repeat the recipient's address, so only its code is kept of mails.
  const isShown = withReply && response !== undefined
  const detail = isShown ? `${place}, "${toHeaderText(response)}"` : place
  return new MailError(classify(error), reason, { detail })
}

const REASONS: Readonly<Record<string, string>> = { EABORT: 'timeout', ETIMEDOUT: 'timeout' }
/** Postfix answers EHLO with 250, and RCPT with what it thinks of the name. */
const NAME_REFUSED = /^504|\b(?:ehlo|helo) command rejected/i
const TLS_FAULT = /^(CERT_|DEPTH_ZERO|ERR_TLS|ERR_SSL|HOSTNAME_|SELF_SIGNED|UNABLE_TO_)/

/** @see notifications.md 10.2 "classes" */
function classify(error: SmtpError): MailFailure {
  const { code = '', originalCode = '', response = '', responseCode, command = '' } = error
  const isRefused = responseCode !== undefined && responseCode >= 500
  if (code === 'ETLS' || code === 'EREQUIRETLS' || TLS_FAULT.test(originalCode)) return 'config'
  if (code === 'EAUTH' || code === 'ENOAUTH') {
    return isRefused || responseCode === undefined ? 'config' : 'transient'
  }
  if (isRefused && (/^(?:EHLO|HELO)$/.test(command) || NAME_REFUSED.test(response))) return 'config'
  if (code === 'EENVELOPE' || code === 'EMESSAGE') {
    return isRefused || responseCode === undefined ? 'permanent' : 'transient'
  }
  return 'transient'
}
