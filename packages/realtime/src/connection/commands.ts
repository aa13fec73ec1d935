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
import type { RealtimeLog } from '../log/log-events.ts'

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
  readonly log: RealtimeLog
}

/** What a client asks for, one message after the other. @see realtime.md 2 */
export class Commands {
  readonly #options: CommandsOptions
  readonly #waiting: string[] = []
  #isRunning = false
  #isStopped = false

  constructor(options: CommandsOptions) {
    this.#options = options
  }

  /** Takes a message; those that come while one is worked on wait. */
  take(text: string): void {
    if (this.#isStopped) return
    // The one that is worked on does not wait.
    if (this.#isRunning && this.#waiting.length >= this.#options.maxWaiting) {
      this.refuse(text)
      return
    }
    this.#waiting.push(text)
    if (!this.#isRunning) void this.#run()
  }

  /** Answers a message that is one too many. */
  refuse(text: string): void {
    const source = parseCommand(text)?.source ?? null
    this.#options.fail('too_many_messages', source, CLOSE.tooManyMessages)
  }

  stop(): void {
    this.#isStopped = true
    this.#waiting.length = 0
  }

  async #run(): Promise<void> {
    const { log, close } = this.#options
    const waiting = this.#waiting
    this.#isRunning = true
    try {
      for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
        await this.#handle(text)
      }
    } catch (cause) {
      log.error('realtime.command_failed', { cause: describeError(cause) })
      close(CLOSE.internalError)
    }
    this.#isRunning = false
  }

  async #handle(text: string): Promise<void> {
    const { identity, send, fail } = this.#options
    const command = parseCommand(text)
    if (command === undefined) {
      fail('bad_message', null, CLOSE.badMessage)
    } else if (command.name === 'AUTH') {
      await this.#authenticate(command)
    } else if (identity.access === undefined) {
      fail('unknown_method', command.source, CLOSE.authenticationFailed, command.method)
    } else if (command.name === 'SUBSCRIBE' || command.name === 'UNSUBSCRIBE') {
      await this.#changeSubscription(command)
    } else {
      send('unknown_method', command.source, command.method)
    }
  }

  async #authenticate({ payload, source }: Command): Promise<void> {
    const { identity, accessMonitor, peer, fail, close } = this.#options
    const isToken = typeof payload === 'string' && payload !== ''
    const verdict = isToken ? await identity.authenticate(payload) : 'refused'
    if (this.#isStopped) return
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

  async #changeSubscription({ name, payload, source }: Command): Promise<void> {
    const { subscriber, send } = this.#options
    const topic = parseTopic(payload)
    if (typeof topic === 'string') send(topic, source)
    else if (name === 'UNSUBSCRIBE') subscriber.unsubscribe(topic)
    else await this.#subscribe(topic, source)
  }

  async #subscribe(topic: Topic, source: CommandSource): Promise<void> {
    const { identity, subscriber, rules, join, send } = this.#options
    const { access } = identity
    if (access === undefined || !maySubscribe(rules, access, topic.type, topic.id)) {
      send('forbidden', source, topic.type)
    } else if (subscriber.subscribe(topic) === 'full') {
      send('too_many_subscriptions', source)
    } else {
      await join()
    }
  }
}
