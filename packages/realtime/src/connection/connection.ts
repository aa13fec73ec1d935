import type { TokenAccess } from '@svc/oauth-core'
import type { Logger, Revocation } from '@svc/platform'
import type { RawData, WebSocket } from 'ws'
import type { BusBridge } from '../events/bus-bridge.ts'
import type { TypeRules } from '../events/doctype.ts'
import type { Hub } from '../events/hub.ts'
import type { Lifetimes } from '../lifetimes.ts'
import type { Limits } from '../limits.ts'
import { createAccessMonitor } from './access-monitor.ts'
import { createCommands } from './commands.ts'
import { startHeartbeat } from './heartbeat.ts'
import { createIdentity, type Peer } from './identity.ts'
import { createMessageMeter } from './message-meter.ts'
import { createOutbox } from './outbox.ts'
import {
  CLOSE,
  type CloseReason,
  type CommandSource,
  errorFrame,
  type SocketErrorCode,
} from './socket-errors.ts'

/** One open websocket. */
export interface Connection {
  /** Something ended or changed, on this or another process. */
  onRevoked(revocation: Revocation): void
  /** News may have been missed: looks at the token again. Never rejects. */
  recheck(): Promise<void>
  close(reason: CloseReason): void
  /** Cuts it. */
  terminate(): void
}

export interface ConnectionOptions {
  readonly socket: WebSocket
  readonly peer: Peer
  readonly hub: Hub
  readonly bridge: BusBridge
  readonly rules: TypeRules
  readonly limits: Limits
  readonly lifetimes: Lifetimes
  readonly clock: { now(): number }
  readonly log: Logger
}

const AUTH: CommandSource = { method: 'AUTH' }

/** Puts the parts of a connection together; lives as long as the socket. */
export function createConnection(options: ConnectionOptions): Connection {
  const { socket, peer, hub, bridge, rules, limits, lifetimes, clock, log } = options
  let isClosing = false

  const outbox = createOutbox({ socket, limits, lifetimes, onSlow: () => close(CLOSE.tooSlow) })
  const subscriber = hub.subscriber(peer.instanceId, outbox.send)
  const member = bridge.member(peer.instanceId)
  const identity = createIdentity({
    clock,
    verify: (token): Promise<TokenAccess> => peer.verify(token),
    onExpired: () => fail('unauthorized', AUTH, CLOSE.tokenExpired),
  })
  const accessMonitor = createAccessMonitor({ identity, subscriber, rules, send, close })
  const commands = createCommands({
    identity,
    subscriber,
    accessMonitor,
    rules,
    peer,
    send,
    fail,
    close,
    log,
    join: member.join,
    maxWaiting: limits.waitingMessages,
  })
  const meter = createMessageMeter({ clock, limit: limits.messages, windowMs: lifetimes.messages })
  const stopHeartbeat = startHeartbeat(socket, lifetimes, () => void accessMonitor.recheck('beat'))
  const silence = setTimeout(() => {
    fail('unauthorized', AUTH, CLOSE.authenticationTimeout)
  }, lifetimes.auth).unref()

  function send(name: SocketErrorCode, source: CommandSource | null, about?: string): void {
    outbox.send(errorFrame(name, source, about))
  }

  function fail(
    name: SocketErrorCode,
    source: CommandSource | null,
    reason: CloseReason,
    about?: string,
  ): void {
    if (isClosing) return
    send(name, source, about)
    close(reason)
  }

  function close({ code, reason }: CloseReason): void {
    if (isClosing) return
    end()
    socket.close(code, reason)
  }

  /** From here on nothing is received, sent or waited for. */
  function end(): void {
    if (isClosing) return
    isClosing = true
    clearTimeout(silence)
    commands.stop()
    identity.stop()
    subscriber.close()
    member.leave()
    outbox.stop()
    stopHeartbeat()
  }

  function receive(data: RawData, isBinary: boolean): void {
    if (isClosing) return
    clearTimeout(silence)
    if (isBinary) close(CLOSE.textOnly)
    else if (meter.isWithin()) commands.take(String(data))
    else commands.refuse(String(data))
  }

  socket.on('message', receive)
  // Without a listener a bad frame would end the process; the library answers it by itself.
  socket.on('error', (error) => log.info('realtime.bad_frame', { cause: error.message }))
  socket.once('close', () => {
    end()
    peer.gone()
  })

  return {
    onRevoked: accessMonitor.onRevoked,
    recheck: () => accessMonitor.recheck('gap'),
    close,
    terminate: () => socket.terminate(),
  }
}
