import type { TokenAccess } from '@svc/oauth-core'
import type { InstanceId } from '@svc/platform'

/** The other end of a connection, as its handshake knows it. */
export interface Peer {
  readonly instanceId: InstanceId
  /** Whom a token speaks for, with the cookies of the handshake. @throws OAuthError 401 */
  verify(token: string): Promise<TokenAccess>
  /** It is somebody's now. */
  authenticated(): void
  /** Its AUTH failed. */
  refused(): void
  /** The connection is over. */
  gone(): void
}
