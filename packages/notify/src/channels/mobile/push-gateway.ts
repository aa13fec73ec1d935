import type { Instance } from '@svc/platform'
import type { Json } from '@svc/store'
import type { ChannelOutcome } from '../channel.ts'
import type { Priority } from '../../outbox/notification.ts'

/** Values of `notification_platform`. @see notifications.md 16.2, decision D37 */
export type PushPlatform = 'android' | 'apns' | 'firebase' | 'huawei' | 'ios' | 'webpush'

/** A notification for one device, ready but for the provider's own form. */
export interface OutgoingPush {
  /** The same at every attempt for this device and notification: UUID. */
  readonly id: string
  readonly notificationId: string
  readonly instance: Instance
  /** Whose app it is: credentials follow it. Absent for the flagship app and for posters without an app. */
  readonly slug?: string
  readonly platform: PushPlatform
  /** Device token; a subscription as JSON for `webpush`. */
  readonly token: string
  /** When the device gave it. Milliseconds since the epoch. */
  readonly tokenSince: number
  readonly title: string
  readonly body: string
  readonly data: { readonly [name: string]: Json | undefined }
  readonly sound?: string
  readonly priority?: Priority
  /** MD5 of the collapse key, 32 hex characters. @see notifications.md 8, decision D39 */
  readonly collapseHash: string
  readonly isCollapsible: boolean
  /** @see notifications.md 8 */
  readonly notId: number
  /** Milliseconds that it is still worth delivering. */
  readonly ttlMs?: number
}

/**
 * What became of one attempt at one device, as with every channel; `isTokenDead` also takes the token off the device.
 * @see docs/push.md of the repository
 */
export interface PushOutcome extends Omit<ChannelOutcome, 'memo' | 'isUnfinished'> {
  /** The provider says that this token leads nowhere any more. */
  readonly isTokenDead?: true
}

/** Takes pushes away: to a provider, or into an outbox for development. Never throws for what a provider does. */
export interface PushGateway {
  send(push: OutgoingPush, signal: AbortSignal): Promise<PushOutcome>
  /** Lets go of connections. */
  close?(): Promise<void>
}
