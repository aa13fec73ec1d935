import type { TokenAccess } from '@svc/oauth-core'
import type { Revocation } from '@svc/platform'
import type { RawData, WebSocket } from 'ws'
import type { BusBridge, BusMember } from '../events/bus-bridge.ts'
import type { TypeRules } from '../events/doctype.ts'
import type { Hub, Subscriber } from '../events/hub.ts'
import type { Lifetimes } from '../lifetimes.ts'
import type { Limits } from '../limits.ts'
import { AccessMonitor } from './access-monitor.ts'
import { Commands } from './commands.ts'
import { startHeartbeat } from './heartbeat.ts'
import { Identity, type Peer } from './identity.ts'
import { MessageMeter } from './message-meter.ts'
import { Outbox } from './outbox.ts'
import {
  CLOSE,
  type CloseReason,
  type CommandSource,
  errorFrame,
  type SocketErrorCode,
} from './socket-errors.ts'
import type { RealtimeLog } from '../log/log-events.ts'

export interface ConnectionOptions {
  readonly socket: WebSocket
  readonly peer: Peer
  readonly hub: Hub
  readonly bridge: BusBridge
  readonly rules: TypeRules
  readonly limits: Limits
  readonly lifetimes: Lifetimes
  readonly clock: { now(): number }
  readonly log: RealtimeLog
}

const AUTH: CommandSource = { method: 'AUTH' }

/** One open websocket. Puts its parts together; lives as long as the socket. */
export class Connection {
  readonly #socket: WebSocket
  readonly #outbox: Outbox
  readonly #subscriber: Subscriber
  readonly #member: BusMember
  readonly #identity: Identity
  readonly #accessMonitor: AccessMonitor
  readonly #commands: Commands
  readonly #meter: MessageMeter
  readonly #stopHeartbeat: () => void
  readonly #silence: NodeJS.Timeout
  #isClosing = false

  constructor(options: ConnectionOptions) {
    const { socket, peer, hub, bridge, rules, limits, lifetimes, clock, log } = options
    const send = this.#send
    const fail = this.#fail
    const close = (reason: CloseReason): void => this.close(reason)

    this.#socket = socket
    const outbox = new Outbox({ socket, limits, lifetimes, onSlow: () => close(CLOSE.tooSlow) })
    this.#outbox = outbox
    const subscriber = hub.subscriber(peer.instanceId, (frame) => outbox.send(frame))
    this.#subscriber = subscriber
    const member = bridge.member(peer.instanceId)
    this.#member = member
    const identity = new Identity({
      clock,
      verify: (token): Promise<TokenAccess> => peer.verify(token),
      onExpired: () => fail('unauthorized', AUTH, CLOSE.tokenExpired),
    })
    this.#identity = identity
    const accessMonitor = new AccessMonitor({ identity, subscriber, rules, send, close })
    this.#accessMonitor = accessMonitor
    this.#commands = new Commands({
      identity,
      subscriber,
      accessMonitor,
      rules,
      peer,
      send,
      fail,
      close,
      log,
      join: () => member.join(),
      maxWaiting: limits.waitingMessages,
    })
    this.#meter = new MessageMeter({
      clock,
      limit: limits.messages,
      windowMs: lifetimes.messages,
    })
    this.#stopHeartbeat = startHeartbeat(socket, lifetimes, () => {
      void accessMonitor.recheck('beat')
    })
    this.#silence = setTimeout(() => {
      fail('unauthorized', AUTH, CLOSE.authenticationTimeout)
    }, lifetimes.auth).unref()

    socket.on('message', (data, isBinary) => this.#receive(data, isBinary))
    // Without a listener a bad frame would end the process; the library answers it by itself.
    socket.on('error', (error) => log.info('realtime.bad_frame', { cause: error.message }))
    socket.once('close', () => {
      this.#end()
      peer.gone()
    })
  }

  /** Something ended or changed, on this or another process. */
  onRevoked(revocation: Revocation): void {
    this.#accessMonitor.onRevoked(revocation)
  }

  /** News may have been missed: looks at the token again. Never rejects. */
  recheck(): Promise<void> {
    return this.#accessMonitor.recheck('gap')
  }

  close({ code, reason }: CloseReason): void {
    if (this.#isClosing) return
    this.#end()
    this.#socket.close(code, reason)
  }

  /** Cuts it. */
  terminate(): void {
    this.#socket.terminate()
  }

  readonly #send = (name: SocketErrorCode, source: CommandSource | null, about?: string): void => {
    this.#outbox.send(errorFrame(name, source, about))
  }

  /** Sends an error and closes. */
  readonly #fail = (
    name: SocketErrorCode,
    source: CommandSource | null,
    reason: CloseReason,
    about?: string,
  ): void => {
    if (this.#isClosing) return
    this.#send(name, source, about)
    this.close(reason)
  }

  /** From here on nothing is received, sent or waited for. */
  #end(): void {
    if (this.#isClosing) return
    this.#isClosing = true
    clearTimeout(this.#silence)
    this.#commands.stop()
    this.#identity.stop()
    this.#subscriber.close()
    this.#member.leave()
    this.#outbox.stop()
    this.#stopHeartbeat()
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (this.#isClosing) return
    clearTimeout(this.#silence)
    if (isBinary) this.close(CLOSE.textOnly)
    else if (this.#meter.isWithin()) this.#commands.take(String(data))
    else this.#commands.refuse(String(data))
  }
}
