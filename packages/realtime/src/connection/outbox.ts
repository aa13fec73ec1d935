import type { WebSocket } from 'ws'
import type { Lifetimes } from '../lifetimes.ts'
import type { Limits } from '../limits.ts'

/** What is sent to one reader, however slow. @see realtime.md 5, 6 */
export interface Outbox {
  /** Sends a text frame. Never waits. */
  send(frame: Buffer): void
  stop(): void
}

export interface OutboxOptions {
  readonly socket: WebSocket
  readonly limits: Pick<Limits, 'maxUnsentBytes' | 'unsentBytes' | 'unsentEvents'>
  readonly lifetimes: Pick<Lifetimes, 'slow' | 'write'>
  /** The reader is too far behind. */
  readonly onSlow: () => void
}

export function createOutbox(options: OutboxOptions): Outbox {
  const { socket, limits, lifetimes, onSlow } = options
  let unsent = 0
  let isStopped = false
  /** Runs while the reader is behind by more than it may for long. */
  let behind: NodeJS.Timeout | undefined
  /** Runs while the system takes nothing. */
  let stuck: NodeJS.Timeout | undefined

  function isBehind(): boolean {
    return unsent > limits.unsentEvents || socket.bufferedAmount > limits.unsentBytes
  }

  function sent(): void {
    unsent -= 1
    if (behind !== undefined && !isBehind()) {
      clearTimeout(behind)
      behind = undefined
    }
    if (stuck === undefined) return
    if (socket.bufferedAmount > 0) stuck.refresh()
    else stopStuck()
  }

  function stopStuck(): void {
    clearTimeout(stuck)
    stuck = undefined
  }

  function stop(): void {
    isStopped = true
    clearTimeout(behind)
    stopStuck()
  }

  function tooSlow(): void {
    if (isStopped) return
    stop()
    onSlow()
  }

  return {
    send(frame) {
      if (isStopped) return
      unsent += 1
      socket.send(frame, { binary: false }, sent)
      // A healthy reader's frames are with the system at once, however many come in a tick.
      const waitingBytes = socket.bufferedAmount
      if (waitingBytes === 0) return
      if (waitingBytes > limits.maxUnsentBytes) {
        tooSlow()
        return
      }
      if (isBehind()) behind ??= setTimeout(tooSlow, lifetimes.slow).unref()
      stuck ??= setTimeout(() => socket.terminate(), lifetimes.write).unref()
    },
    stop,
  }
}
