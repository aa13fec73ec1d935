import type { Server } from 'node:http'
import type { ConnectionBounds } from './bounds.ts'

const BEGINS_AT = 0.9
const ENDS_AT = 0.8

/**
 * Whether most connections are taken. Then connections end that nobody uses, and clients have less time for their
 * headers, so that others find a place.
 */
export class Pressure {
  readonly #server: Server
  readonly #bounds: ConnectionBounds
  readonly #onBegin: () => void
  #open = 0
  #isOn = false

  /** @param onBegin - asks the connections in use to end with their answers */
  constructor(server: Server, bounds: ConnectionBounds, onBegin: () => void) {
    this.#server = server
    this.#bounds = bounds
    this.#onBegin = onBegin
  }

  get isOn(): boolean {
    return this.#isOn
  }

  opened(): void {
    this.#open += 1
    if (!this.#isOn && this.#open >= this.#bounds.connections * BEGINS_AT) this.#begin()
  }

  closed(): void {
    this.#open -= 1
    if (this.#isOn && this.#open <= this.#bounds.connections * ENDS_AT) this.#end()
  }

  #begin(): void {
    this.#isOn = true
    this.#server.headersTimeout = Math.min(this.#bounds.headersMs, this.#bounds.pressedHeadersMs)
    this.#server.closeIdleConnections()
    this.#onBegin()
  }

  #end(): void {
    this.#isOn = false
    this.#server.headersTimeout = this.#bounds.headersMs
  }
}
