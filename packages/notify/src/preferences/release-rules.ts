import type { Instance } from '@svc/platform'
import type { ChannelName, NotificationRecord } from '../outbox/notification.ts'

/** What the owner's preferences say of a notification that is about to be attempted. */
export type ReleaseDecision =
  /** Over these channels, in the order of the notification; never empty. */
  | { readonly kind: 'send'; readonly channels: readonly ChannelName[] }
  | { readonly kind: 'skip'; readonly reason: 'muted' }
  /** Quiet hours: look again then. Milliseconds since the epoch. */
  | { readonly kind: 'defer'; readonly until: number }
  /** The digest of this id takes it along; due then. */
  | { readonly kind: 'digest'; readonly digestId: string; readonly until: number }

/** Asked by the engine before the first attempt, and again after a deferral. */
export interface ReleaseRules {
  decide(instance: Instance, record: NotificationRecord, now: number): Promise<ReleaseDecision>
}
