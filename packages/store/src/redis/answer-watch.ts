import type { Redis } from 'ioredis'

type Command = Parameters<Redis['sendCommand']>[0]

/** A command that waits for its answer. */
interface Waiting {
  readonly command: Command
  readonly sentAt: number
  /** The instant after which a standstill of this process is no excuse any more. */
  latest: number
  /** Whether that was put off: it is once. */
  isPutOff: boolean
}

/** Looks at least so often whether this process stood still, while a command waits. Milliseconds. */
const LOOK_MS = 200
/** A timer that comes this much late was held up by something else than Redis. Milliseconds. */
export const LATE_MS = 50
/** What Redis gets to answer, and we to read, after a standstill. Milliseconds. */
export const GRACE_MS = 200
/** Standstills add at most this share of the timeout, but for one that lasts longer itself: calls end within 3 s. */
const LONGEST = 1.3

/**
 * Rejects commands that Redis does not answer in time, and lets go of a connection that gives no answers. Unlike the
 * timeouts of ioredis it does not blame Redis for the time in which this process itself stood still: timers come before
 * sockets are read, so after a standstill every command would count as lost whose answer has been here for long.
 * @see docs/decisions/0001-redis-connection.md
 */
export function watchAnswers(client: Redis, timeoutMs: number): void {
  const send = client.sendCommand.bind(client)
  const watch = new AnswerWatch(timeoutMs, (cause) => client.stream?.destroy(cause))
  client.sendCommand = (...sent) => {
    const answer = send(...sent)
    watch.add(sent[0])
    return answer
  }
}

/** Answers come in the order of their commands, so that one timer for the oldest is enough. */
class AnswerWatch {
  readonly #timeoutMs: number
  readonly #letGo: (cause: Error) => void
  #waiting: Waiting[] = []
  #timer: NodeJS.Timeout | undefined
  /** When the timer should come. */
  #expectedAt = 0
  /** After a standstill: until when Redis has the benefit of the doubt. */
  #quietUntil = 0

  constructor(timeoutMs: number, letGo: (cause: Error) => void) {
    this.#timeoutMs = timeoutMs
    this.#letGo = letGo
  }

  add(command: Command): void {
    if (command.isSettled) return
    const sentAt = performance.now()
    const latest = sentAt + this.#timeoutMs * LONGEST
    this.#waiting.push({ command, sentAt, latest, isPutOff: false })
    if (this.#timer === undefined) this.#wait(sentAt, this.#timeoutMs)
  }

  #wait(now: number, forMs: number): void {
    const afterMs = Math.min(LOOK_MS, forMs)
    this.#expectedAt = now + afterMs
    this.#timer = setTimeout(() => this.#look(), afterMs)
  }

  #look(): void {
    this.#timer = undefined
    const oldest = this.#oldest()
    if (oldest === undefined) return
    const now = performance.now()
    if (now > this.#expectedAt + LATE_MS) this.#excuse(oldest, now)
    const lostAt = Math.max(
      oldest.sentAt + this.#timeoutMs,
      Math.min(this.#quietUntil, oldest.latest),
    )
    if (now < lostAt) {
      this.#wait(now, Math.max(1, lostAt - now))
      return
    }
    oldest.command.reject(new Error('Command timed out'))
    this.#letGo(new Error(`no answer within ${this.#timeoutMs} ms`))
    if (this.#oldest() !== undefined) this.#wait(now, LOOK_MS)
  }

  /** This process stood still until now: what came meanwhile is read after the timers. */
  #excuse(oldest: Waiting, now: number): void {
    this.#quietUntil = now + GRACE_MS
    if (oldest.isPutOff || this.#quietUntil < oldest.latest) return
    oldest.latest = this.#quietUntil
    oldest.isPutOff = true
  }

  /** Forgets those before it, which are settled. */
  #oldest(): Waiting | undefined {
    const at = this.#waiting.findIndex(({ command }) => !command.isSettled)
    this.#waiting = at === -1 ? [] : this.#waiting.slice(at)
    return this.#waiting[0]
  }
}
