export { MAIL_LOCALES } from './catalogue.ts'
export { type SmtpOptions, smtpTransport } from './channels/mail.ts'
export { createNotify, type Notify } from './create-notify.ts'
export { type MailAddress, parseAddress } from './mail-address.ts'
export { isMailError, MailError, type MailErrorOptions, type MailFailure } from './mail-error.ts'
export type { Mailer } from './mailer.ts'
export type { MailOptions, MailSettings, NotifyOptions } from './options.ts'
export type { MailTransport, OutgoingMail } from './ports.ts'
export { sampleMails } from './sample-mails.ts'
export type {
  AuthModeChange,
  PasscodePurpose,
  RequestFacts,
  SystemMail,
  SystemMailName,
} from './system-mails.ts'
export type { RenderedMail } from './templates.ts'
