import type { InstanceId } from '@svc/oauth-core'
import type { MailAddress } from './mail-address.ts'

/** A rendered mail to one person. Texts are final, addresses checked. */
export interface OutgoingMail {
  /** The same at every attempt: receivers drop repeats by it. */
  readonly messageId: string
  /** The instance it comes from. */
  readonly instanceId: InstanceId
  readonly domain: string
  /** Name of the template it was made from. */
  readonly template: string
  readonly from: MailAddress
  readonly to: MailAddress
  readonly replyTo?: MailAddress
  readonly subject: string
  readonly text: string
  readonly html: string
  /** BCP 47 tag of the language it is written in. */
  readonly locale: string
}

/** Takes mails away: over SMTP, or into a mailbox for development. */
export interface MailTransport {
  /**
   * Resolves when the next hop has taken the mail.
   * @throws MailError telling whether trying again makes sense
   */
  send(mail: OutgoingMail): Promise<void>
}
