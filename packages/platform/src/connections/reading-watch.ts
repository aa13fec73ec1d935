import type { Socket } from 'node:net'
import type { ConnectionBounds } from './bounds.ts'
import { transferredBytes } from './transferred.ts'

type ReadingBounds = Pick<
  ConnectionBounds,
  'answerBytesPerSecond' | 'answerGraceMs' | 'answerMs' | 'silenceMs'
>

/** An answer that was not taken at once. */
interface Unsent {
  readonly since: number
  readonly takenBefore: number
  /** When something moved last, and how far it was then. */
  movedAt: number
  moved: number
}

/** Looks from time to time how a client takes its answer. */
export class ReadingWatch {
  readonly #socket: Socket
  readonly #transport: Socket
  readonly #bounds: ReadingBounds
  #unsent: Unsent | undefined

  /** @param transport - the TCP socket below: the same one without TLS */
  constructor(socket: Socket, transport: Socket, bounds: ReadingBounds) {
    this.#socket = socket
    this.#transport = transport
    this.#bounds = bounds
  }

  /** The next answer is measured by itself. */
  restart(): void {
    this.#unsent = undefined
  }

  /** @param now - monotonic, milliseconds */
  isTooSlow(now: number): boolean {
    if (this.#socket.writableLength === 0) {
      this.#unsent = undefined
      return false
    }
    const { answerBytesPerSecond, answerGraceMs, answerMs, silenceMs } = this.#bounds
    const { out, in: received } = transferredBytes(this.#transport)
    const moved = out + received
    const unsent = (this.#unsent ??= { since: now, takenBefore: out, movedAt: now, moved })
    if (moved !== unsent.moved) {
      unsent.moved = moved
      unsent.movedAt = now
    }
    const elapsedMs = now - unsent.since
    if (now - unsent.movedAt >= silenceMs || elapsedMs >= answerMs) return true
    const perSecond = ((out - unsent.takenBefore) * 1000) / Math.max(1, elapsedMs)
    return elapsedMs >= answerGraceMs && perSecond < answerBytesPerSecond
  }
}
