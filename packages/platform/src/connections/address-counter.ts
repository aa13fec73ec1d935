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

  /**
   * Counts a connection. One without an address, over a socket of the file system, is some proxy's and not counted.
   * @returns takes it back; undefined when its address has too many
   */
  admit({ remoteAddress }: Socket): (() => void) | undefined {
    if (this.#limit === 0 || remoteAddress === undefined) return () => {}
    const network = networkOf(remoteAddress)
    const open = this.#open.get(network) ?? 0
    if (open >= this.#limit) return undefined
    this.#open.set(network, open + 1)
    return () => this.#release(network)
  }

  #release(network: string): void {
    const open = (this.#open.get(network) ?? 0) - 1
    if (open > 0) this.#open.set(network, open)
    else this.#open.delete(network)
  }
}
