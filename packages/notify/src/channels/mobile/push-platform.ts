import type { Logger, Outbound } from '@svc/platform'
import type { PushCredentialStore } from '../../ports.ts'
import type { OutgoingPush, PushGateway } from './push-gateway.ts'

/** All of one provider: the gateway follows the credentials of a push. */
export interface PushPlatform {
  /** Undefined: not configured for it. */
  gatewayOf(push: Pick<OutgoingPush, 'instance' | 'slug'>): Promise<PushGateway | undefined>
  close(): Promise<void>
}

export interface PlatformParts {
  /** Credentials of single apps. */
  readonly store: PushCredentialStore | undefined
  readonly outbound: Outbound
  readonly clock: { now(): number }
  readonly log: Logger
}
