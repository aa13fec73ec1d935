import type { WebSocket } from 'ws'
import type { Lifetimes } from '../lifetimes.ts'
import type { Limits } from '../limits.ts'

export interface OutboxOptions {
  readonly socket: WebSocket
  readonly limits: Pick<Limits, 'maxUnsentBytes' | 'unsentBytes' | 'unsentEvents'>
  readonly lifetimes: Pick<Lifetimes, 'slow' | 'write'>
  /** The reader is too far behind. */
  readonly onSlow: () => void
}

/** What is sent to one reader, however slow. @see realtime.md 5, 6 */
export class Outbox {
  readonly #options: OutboxOptions
  #unsent = 0
  #isStopped = false
  /** Runs while the reader is behind by more than it may for long. */
  #behind: NodeJS.Timeout | undefined
  /** Runs while the system takes nothing. */
  #stuck: NodeJS.Timeout | undefined

  constructor(options: OutboxOptions) {
    this.#options = options
  }

  /** Sends a text frame. Never waits. */
  send(frame: Buffer): void {
    if (this.#isStopped) return
    const { socket, limits, lifetimes } = this.#options
    this.#unsent += 1
    socket.send(frame, { binary: false }, this.#sent)
    // A healthy reader's frames are with the system at once, however many come in a tick.
    const waitingBytes = socket.bufferedAmount
    if (waitingBytes === 0) return
    if (waitingBytes > limits.maxUnsentBytes) {
      this.#tooSlow()
      return
    }
    if (this.#isBehind()) {
      this.#behind ??= setTimeout(() => this.#tooSlow(), lifetimes.slow).unref()
    }
    this.#stuck ??= setTimeout(() => socket.terminate(), lifetimes.write).unref()
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#behind)
    this.#stopStuck()
  }

  /** One function for all frames: there may be many. */
  readonly #sent = (): void => {
    this.#unsent -= 1
    if (this.#behind !== undefined && !this.#isBehind()) {
      clearTimeout(this.#behind)
      this.#behind = undefined
    }
    if (this.#stuck === undefined) return
    if (this.#options.socket.bufferedAmount > 0) this.#stuck.refresh()
    else this.#stopStuck()
  }

  #isBehind(): boolean {
    const { socket, limits } = this.#options
    return this.#unsent > limits.unsentEvents || socket.bufferedAmount > limits.unsentBytes
  }

  #stopStuck(): void {
    clearTimeout(this.#stuck)
    this.#stuck = undefined
  }

  #tooSlow(): void {
    if (this.#isStopped) return
    this.stop()
    this.#options.onSlow()
  }
}
