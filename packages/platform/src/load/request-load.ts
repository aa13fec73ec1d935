import type { IncomingMessage } from 'node:http'
import { overloaded } from './errors.ts'
import type { SharedBound } from './shared-bound.ts'

/**
 * What one request has of the bounds of its process, from its beginning until its handler is done. What is announced
 * holds no room: bytes of a body count as they arrive, and the request takes its place once its body is complete.
 */
export class RequestLoad {
  readonly #address: string
  readonly #places: SharedBound
  readonly #bytes: SharedBound
  #held = 0
  #isIn = false
  #isOver = false

  constructor(
    address: string,
    bounds: { readonly places: SharedBound; readonly bytes: SharedBound },
  ) {
    this.#address = address
    this.#places = bounds.places
    this.#bytes = bounds.bytes
  }

  /**
   * Takes the place of a request whose body is complete, or whose handler reads it as a stream. Idempotent.
   * @throws OverloadedError when there is none
   */
  enter(): void {
    if (this.#isIn) return
    if (!this.#places.take(this.#address, 1)) throw overloaded()
    this.#isIn = true
  }

  /**
   * Counts the body while somebody reads it; called in the turn in which the reading begins.
   * @returns what the reading answers
   * @throws OverloadedError when the process holds too many bytes of bodies; the rest is not read
   */
  countBody<Body>(request: IncomingMessage, reading: Promise<Body>): Promise<Body> {
    return new Promise((resolve, reject) => {
      const count = (part: Buffer): void => {
        if (this.#isOver) return
        if (this.#bytes.take(this.#address, part.length)) {
          this.#held += part.length
          return
        }
        request.off('data', count)
        request.pause()
        // Nobody reads the rest: the connection ends with the answer.
        reject(overloaded({ Connection: 'close' }))
      }
      request.on('data', count)
      reading.then(resolve, reject).finally(() => request.off('data', count))
    })
  }

  /** The handler is done. */
  end(): void {
    this.#bytes.give(this.#address, this.#held)
    if (this.#isIn) this.#places.give(this.#address, 1)
    this.#held = 0
    this.#isIn = false
    this.#isOver = true
  }
}
