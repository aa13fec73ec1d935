import type {
  MailTransport,
  OutgoingMail,
  OutgoingPush,
  PushGateway,
  SmsGateway,
} from '@svc/notify'
import type { Instance } from '@svc/platform'

/** Something that was kept instead of being sent. */
export interface Kept<Item> {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly keptAt: number
  readonly item: Item
}

/** A mail that was not sent. */
export interface KeptMail {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly keptAt: number
  readonly mail: OutgoingMail
}

/** Keeps the last mails of each instance instead of sending them; for development. */
export interface DevMailbox extends MailTransport {
  /** Newest first. */
  list(instance: Instance): Promise<readonly KeptMail[]>
  get(instance: Instance, id: string): Promise<KeptMail | undefined>
  removeAll(instance: Instance): Promise<void>
}

/** A push that was not sent, without the token of its device. */
export interface OutboxPush {
  readonly kind: 'push'
  readonly notification: string
  /** Name of the client that would have shown it; its platform where no client has the token any more. */
  readonly device: string
  readonly platform: OutgoingPush['platform']
  readonly slug?: string
  readonly title: string
  readonly body: string
  readonly data: OutgoingPush['data']
  readonly priority?: OutgoingPush['priority']
  readonly sound?: string
}

/** A text that was not sent. */
export interface OutboxText {
  readonly kind: 'text'
  readonly notification: string
  readonly number: string
  readonly text: string
}

export type OutboxEntry = OutboxPush | OutboxText

/** Keeps the last pushes and texts of each instance instead of sending them; for development. */
export interface DevOutbox {
  readonly pushes: PushGateway
  readonly texts: SmsGateway
  /** Newest first. */
  list(instance: Instance): Promise<readonly Kept<OutboxEntry>[]>
  get(instance: Instance, id: string): Promise<Kept<OutboxEntry> | undefined>
  removeAll(instance: Instance): Promise<void>
}

/** Makes what takes the place of gateways in development; the demo has it. */
export interface Development {
  createMailbox(): DevMailbox
  /** @param deviceName - name of the client whose device it is */
  createOutbox(deviceName: (push: OutgoingPush) => Promise<string | undefined>): DevOutbox
}
