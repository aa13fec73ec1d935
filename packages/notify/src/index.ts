import '@svc/store/node-version'
export type { AppMail, DigestItem, DigestWords, NotificationWords } from './mail/app-mails.ts'
export { type MailLanguage, MAIL_LOCALES } from './mail/catalogue.ts'
export { smtpTransport, verifySmtp } from './mail/smtp-transport.ts'
export type { DkimOptions } from './mail/dkim.ts'
export type { SmtpOptions } from './mail/smtp-options.ts'
export { createNotify } from './create-notify.ts'
export type { NotifyFigures } from './metrics.ts'
export type { InternalNotification, Notify } from './notify.ts'
export type { ListedNotifications, NotifyOperator } from './operator.ts'
export { parseAddress } from '@svc/platform'
export type { MailAddress } from './mail/mail-address.ts'
export {
  isMailError,
  MailError,
  type MailErrorOptions,
  type MailFailure,
} from './mail/mail-error.ts'
export type { Mailer } from './mail/system-mailer.ts'
export type {
  MailOptions,
  MailSettings,
  MailSlot,
  MailSlotContext,
  MailSlots,
  MailTheme,
} from './mail/mail-options.ts'
export type {
  ApnsOptions,
  FcmOptions,
  HuaweiOptions,
  MobileOptions,
} from './channels/mobile/mobile-options.ts'
export { checkPushCredentials, type PushCheck } from './channels/mobile/check-push.ts'
export type { WebPushOptions } from './channels/mobile/webpush/vapid.ts'
export type { SmsOptions, SmsProvider } from './channels/sms/sms-options.ts'
export type { NotifyOptions } from './options.ts'
export type {
  EventSink,
  MailTransport,
  NoticePage,
  NoticePages,
  NotificationChannel,
  NotifyApps,
  OutgoingMail,
  OutgoingMessage,
  OwnerContact,
  OwnerContacts,
  PushCredentialStore,
} from './ports.ts'
export { NOTIFY_RECORDS } from './outbox/records.ts'
export type {
  OutgoingPush,
  PushGateway,
  PushOutcome,
  PushPlatform,
} from './channels/mobile/push-gateway.ts'
export type { OutgoingText, SmsGateway } from './channels/sms/sms-options.ts'
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
export type { MailLinks } from './mail/app-mails.ts'
export { sampleAppMails } from './mail/sample-app-mails.ts'
export { sampleMails } from './mail/sample-mails.ts'
export type {
  AuthModeChange,
  PasscodePurpose,
  RequestFacts,
  SystemMail,
  SystemMailName,
} from './mail/system-mails.ts'
export {
  createSystemMails,
  type SystemMails,
  type SystemMailsOptions,
} from './mail/system-mailer.ts'
export type { RenderedMail } from './mail/templates.ts'
export { NOTIFY_LOG_EVENTS } from './log/log-events.ts'
