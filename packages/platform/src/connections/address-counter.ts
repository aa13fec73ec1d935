import type { Socket } from 'node:net'
import { networkOf } from '../network-of.ts'

/** Counts the connections of each client address, so that one cannot take them all. */
export class AddressCounter {
  readonly #limit: number
  readonly #open = new Map<string, number>()

  /** @param limit - connections of an address (IPv6: of a /64); 0: as many as it likes */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Counts the connection until it closes. False: its address has too many. */
  admit(socket: Socket): boolean {
    if (this.#limit === 0) return true
    const network = networkOf(socket.remoteAddress ?? '')
    const open = this.#open.get(network) ?? 0
    if (open >= this.#limit) return false
    this.#open.set(network, open + 1)
    socket.once('close', () => this.#release(network))
    return true
  }

  #release(network: string): void {
    const open = (this.#open.get(network) ?? 0) - 1
    if (open > 0) this.#open.set(network, open)
    else this.#open.delete(network)
  }
}
