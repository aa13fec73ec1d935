import type { Logger } from '@svc/platform'
import { describeError } from '@svc/store'
import { maySubscribe, type TypeRules } from '../events/doctype.ts'
import type { Subscriber } from '../events/hub.ts'
import type { Topic } from '../events/subscriptions.ts'
import type { AccessMonitor } from './access-monitor.ts'
import type { Identity, Peer } from './identity.ts'
import { type Command, parseCommand, parseTopic } from './protocol.ts'
import {
  CLOSE,
  type CloseReason,
  type CommandSource,
  type SocketErrorCode,
} from './socket-errors.ts'

/** What a client asks for, one message after the other. @see realtime.md 2 */
export interface Commands {
  /** Takes a message; those that come while one is worked on wait. */
  take(text: string): void
  /** Answers a message that is one too many. */
  refuse(text: string): void
  stop(): void
}

export interface CommandsOptions {
  readonly identity: Identity
  readonly subscriber: Subscriber
  readonly accessMonitor: Pick<AccessMonitor, 'reconsider'>
  readonly rules: TypeRules
  readonly peer: Pick<Peer, 'authenticated' | 'refused'>
  /** Makes events of other processes come; resolves when they do. */
  readonly join: () => Promise<void>
  /** Messages that may wait. */
  readonly maxWaiting: number
  readonly send: (name: SocketErrorCode, source: CommandSource | null, about?: string) => void
  /** Sends an error and closes. */
  readonly fail: (
    name: SocketErrorCode,
    source: CommandSource | null,
    reason: CloseReason,
    about?: string,
  ) => void
  readonly close: (reason: CloseReason) => void
  readonly log: Logger
}

export function createCommands(options: CommandsOptions): Commands {
  const { identity, subscriber, accessMonitor, rules, peer, send, fail, close, log } = options
  const waiting: string[] = []
  let isRunning = false
  let isStopped = false

  async function run(): Promise<void> {
    isRunning = true
    try {
      for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
        await handle(text)
      }
    } catch (cause) {
      log.error('realtime.command_failed', { cause: describeError(cause) })
      close(CLOSE.internalError)
    }
    isRunning = false
  }

  async function handle(text: string): Promise<void> {
    const command = parseCommand(text)
    if (command === undefined) {
      fail('bad_message', null, CLOSE.badMessage)
    } else if (command.name === 'AUTH') {
      await authenticate(command)
    } else if (identity.access === undefined) {
      fail('unknown_method', command.source, CLOSE.authenticationFailed, command.method)
    } else if (command.name === 'SUBSCRIBE' || command.name === 'UNSUBSCRIBE') {
      await changeSubscription(command)
    } else {
      send('unknown_method', command.source, command.method)
    }
  }

  async function authenticate({ payload, source }: Command): Promise<void> {
    const isToken = typeof payload === 'string' && payload !== ''
    const verdict = isToken ? await identity.authenticate(payload) : 'refused'
    if (isStopped) return
    if (verdict === 'good') {
      peer.authenticated()
      accessMonitor.reconsider()
    } else if (verdict === 'refused') {
      peer.refused()
      fail('unauthorized', source, CLOSE.authenticationFailed)
    } else {
      close(CLOSE.internalError)
    }
  }

  async function changeSubscription({ name, payload, source }: Command): Promise<void> {
    const topic = parseTopic(payload)
    if (typeof topic === 'string') send(topic, source)
    else if (name === 'UNSUBSCRIBE') subscriber.unsubscribe(topic)
    else await subscribe(topic, source)
  }

  async function subscribe(topic: Topic, source: CommandSource): Promise<void> {
    const { access } = identity
    if (access === undefined || !maySubscribe(rules, access, topic.type, topic.id)) {
      send('forbidden', source, topic.type)
    } else if (subscriber.subscribe(topic) === 'full') {
      send('too_many_subscriptions', source)
    } else {
      await options.join()
    }
  }

  return {
    take(text) {
      if (isStopped) return
      // The one that is worked on does not wait.
      if (isRunning && waiting.length >= options.maxWaiting) {
        refuse(text)
        return
      }
      waiting.push(text)
      if (!isRunning) void run()
    },
    refuse,
    stop() {
      isStopped = true
      waiting.length = 0
    },
  }

  function refuse(text: string): void {
    fail('too_many_messages', parseCommand(text)?.source ?? null, CLOSE.tooManyMessages)
  }
}
