import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/** A listener to upgrades of a server. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/** How upgrades of a server are taken over. */
export interface AttachOptions {
  /** Gets the upgrades that are not to `/realtime/` of a host of this server. @defaultValue its other listeners get them */
  readonly next?: UpgradeListener
}
