import { describeError } from '../describe-error.ts'
import type { StoreEventLog } from '../log/store-log.ts'
import { settledWithin } from '../settled-within.ts'
import { StoreUnavailableError } from '../store.ts'
import { GRACE_MS, LATE_MS } from './answer-watch.ts'
import { connected, type RedisClient } from './client.ts'

/**
 * Every call is answered within this many times the timeout of a command: by default within 3 s, with time left for
 * the way to the caller. @see security 106
 */
const ANSWER_SHARE = 1.4

/** Sends commands, many per packet, and turns every failure into a {@link StoreUnavailableError}. */
export interface Connection {
  readonly client: RedisClient
  /** How long a command may take, and how long calls wait for the first connection. Milliseconds. */
  readonly commandTimeoutMs: number
  /** Every call is answered within this. Milliseconds. */
  readonly answerMs: number
  /**
   * Sends commands.
   * @param repeat - whether a command whose answer was lost may be sent once more
   */
  send<Answer>(command: () => Promise<Answer>, repeat?: boolean): Promise<Answer>
  /** Waits for answers under way, then lets go. */
  close(): Promise<void>
}

/** Commands of one turn leave in one packet: half the CPU per command, and no waiting for earlier answers. */
function corkPerTurn(client: RedisClient): () => void {
  let isCorked = false
  return () => {
    if (isCorked) return
    isCorked = true
    const connections = 'nodes' in client ? client.nodes() : [client]
    const streams = connections.flatMap(({ stream }) => stream ?? [])
    for (const stream of streams) stream.cork()
    setImmediate(() => {
      isCorked = false
      for (const stream of streams) stream.uncork()
    })
  }
}

export function createConnection(
  client: RedisClient,
  log: StoreEventLog,
  commandTimeoutMs: number,
): Connection {
  const answerMs = Math.round(commandTimeoutMs * ANSWER_SHARE)
  const cork = corkPerTurn(client)
  let underWay = 0
  let isClosed = false
  let whenIdle: (() => void) | undefined
  let firstConnection: Promise<void> | undefined = connected(client)
  void settledWithin(firstConnection, commandTimeoutMs).then(() => {
    firstConnection = undefined
  })
  logOutages(client, log)

  async function send<Answer>(command: () => Promise<Answer>, repeat = false): Promise<Answer> {
    if (isClosed) throw new StoreUnavailableError('the store is closed')
    underWay++
    try {
      if (firstConnection === undefined && !repeat) {
        cork()
        return await command()
      }
      return await sendPatiently(command, repeat)
    } catch (error) {
      throw unavailable(error)
    } finally {
      underWay--
      if (underWay === 0) whenIdle?.()
    }
  }

  async function sendPatiently<Answer>(
    command: () => Promise<Answer>,
    repeat: boolean,
  ): Promise<Answer> {
    const deadline = performance.now() + answerMs
    if (firstConnection !== undefined) await settledWithin(firstConnection, commandTimeoutMs)
    try {
      cork()
      return await before(deadline, command())
    } catch (error) {
      if (!repeat || !isAnswerLost(error) || !(await isReadyBefore(deadline))) throw error
      cork()
      return await before(deadline, command())
    }
  }

  async function isReadyBefore(deadline: number): Promise<boolean> {
    if (client.status === 'ready') return performance.now() < deadline
    const ready = new Promise<void>((resolve) => client.once('ready', resolve))
    return settledWithin(ready, Math.max(0, deadline - performance.now()))
  }

  return {
    client,
    commandTimeoutMs,
    answerMs,
    send,
    async close() {
      isClosed = true
      if (underWay > 0) {
        const idle = new Promise<void>((resolve) => {
          whenIdle = resolve
        })
        await settledWithin(idle, answerMs)
      }
      client.disconnect()
    },
  }
}

async function before<Answer>(deadline: number, answer: Promise<Answer>): Promise<Answer> {
  if (await settledWithin(answer, deadline - performance.now())) return answer
  // This process stood still: what came meanwhile is read after the timers.
  const stoodStill = performance.now() > deadline + LATE_MS
  if (stoodStill && (await settledWithin(answer, GRACE_MS))) return answer
  throw new StoreUnavailableError('Redis did not answer in time')
}

/** Whether a sent command may have run although no answer came. */
function isAnswerLost(error: unknown): boolean {
  const message = error instanceof Error ? error.message : ''
  return /timed out|max retries|closed|aborted/i.test(message)
}

/** What a failing command means to a caller. */
export function unavailable(cause: unknown): StoreUnavailableError {
  if (cause instanceof StoreUnavailableError) return cause
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new StoreUnavailableError(`Redis cannot be used: ${reason}`, { cause })
}

/** One line when the connection is lost, one when it is back. */
export function logOutages(client: RedisClient, log: StoreEventLog): void {
  let isDown = false
  client.on('error', (error: unknown) => {
    if (isDown) return
    isDown = true
    const cause = describeError(error)
    log.error({ event: 'store.redis_down', cause }, 'Redis cannot be reached')
  })
  client.on('ready', () => {
    if (isDown) log.warn({ event: 'store.redis_back' }, 'Redis is back')
    isDown = false
  })
}
