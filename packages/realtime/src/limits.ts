/** Bounds of what connections may cost. @see realtime.md 6 */
export interface Limits {
  /** Of one message from a client, bytes. @defaultValue `8192` */
  readonly messageBytes: number
  /** Frames of one message. @defaultValue `64` */
  readonly fragments: number
  /** Messages of a connection in the window of `lifetimes.messages`. @defaultValue `60` */
  readonly messages: number
  /** Messages of a connection that wait while one is worked on. @defaultValue `64` */
  readonly waitingMessages: number
  /** Subscriptions of a connection. @defaultValue `200` */
  readonly subscriptions: number
  /** Connections of an instance, in one process. @defaultValue `100` */
  readonly instanceConnections: number
  /** Connections of a client address, in one process. @defaultValue `50` */
  readonly addressConnections: number
  /** Connections of a client address that did not authenticate yet, in one process. @defaultValue `10` */
  readonly pendingConnections: number
  /** Failed AUTH of a client address on an instance, in the window of `lifetimes.failedAuths`. @defaultValue `20` */
  readonly failedAuths: number
  /** Events that a slow reader may be behind for a while. @defaultValue `100` */
  readonly unsentEvents: number
  /** Bytes that a slow reader may be behind for a while. @defaultValue `1_048_576` */
  readonly unsentBytes: number
  /** Bytes that a reader may never be behind. @defaultValue `8_388_608` */
  readonly maxUnsentBytes: number
  /** Of an event's document, as JSON; a larger one is left out. @defaultValue `65_536` */
  readonly documentBytes: number
}

/**
 * Where `options.limits` of `createRealtime` says nothing else: counts, and bytes where the name says so.
 * @see realtime.md 6
 * @example
 * createRealtime({ oauth, limits: { subscriptions: 2 * DEFAULT_LIMITS.subscriptions } })
 */
export const DEFAULT_LIMITS: Limits = {
  messageBytes: 8192,
  fragments: 64,
  messages: 60,
  waitingMessages: 64,
  subscriptions: 200,
  instanceConnections: 100,
  addressConnections: 50,
  pendingConnections: 10,
  failedAuths: 20,
  unsentEvents: 100,
  unsentBytes: 2 ** 20,
  maxUnsentBytes: 8 * 2 ** 20,
  documentBytes: 65_536,
}

/** Longest texts of a message, characters. @see realtime.md 4 */
export const MAX_TYPE_LENGTH = 128
export const MAX_ID_LENGTH = 256
/** Strings are cut to it where they are sent back. */
export const MAX_ECHO_LENGTH = 256
