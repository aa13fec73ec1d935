export type { AppMail, DigestItem, DigestWords, NotificationWords } from './app-mails.ts'
export { MAIL_LOCALES } from './catalogue.ts'
export { smtpTransport } from './channels/mail.ts'
export type { DkimOptions } from './channels/mail-dkim.ts'
export type { SmtpOptions } from './channels/smtp-options.ts'
export { createNotify } from './create-notify.ts'
export type { NotifyFigures } from './figures.ts'
export type { InternalNotification, Notify } from './notify.ts'
export type { ListedNotifications, NotifyOperator } from './operator.ts'
export { type MailAddress, parseAddress } from './mail-address.ts'
export { isMailError, MailError, type MailErrorOptions, type MailFailure } from './mail-error.ts'
export type { Mailer } from './mailer.ts'
export type { MailOptions, MailSettings } from './mail-options.ts'
export type {
  ApnsOptions,
  FcmOptions,
  HuaweiOptions,
  MobileOptions,
} from './channels/mobile/mobile-options.ts'
export type { WebPushOptions } from './channels/mobile/webpush/vapid.ts'
export type { SmsOptions, SmsProvider } from './channels/sms/sms-options.ts'
export type { NotifyOptions } from './options.ts'
export type {
  EventSink,
  MailTransport,
  NoticePage,
  NoticePages,
  NotifyApps,
  OutgoingMail,
  OwnerContact,
  OwnerContacts,
  PushCredentialStore,
} from './ports.ts'
export type {
  OutgoingPush,
  PushGateway,
  PushOutcome,
  PushPlatform,
} from './channels/mobile/push-gateway.ts'
export type { OutgoingText, SmsGateway } from './channels/sms/sms-gateway.ts'
export type { ChannelOutcome } from './channels/channel.ts'
export { DEFAULT_LIFETIMES, type Lifetimes } from './lifetimes.ts'
export { DEFAULT_LIMITS, type NotifyBucket } from './limits.ts'
export { ERRORS, NotifyError, type NotifyErrorCode, type NotifyFault } from './notify-error.ts'
export type {
  Attempt,
  AttemptClass,
  ChannelName,
  NotificationRecord,
  NotificationStatus,
  Originator,
  Priority,
} from './outbox/notification.ts'
export type { MailLinks } from './render/content.ts'
export { sampleAppMails } from './sample-app-mails.ts'
export { sampleMails } from './sample-mails.ts'
export type {
  AuthModeChange,
  PasscodePurpose,
  RequestFacts,
  SystemMail,
  SystemMailName,
} from './system-mails.ts'
export { createSystemMails, type SystemMails, type SystemMailsOptions } from './system-mailer.ts'
export type { RenderedMail } from './templates.ts'
