import type { Socket } from 'node:net'

/** TLS handshakes under way: each has so long, and its TCP socket is found again when it is done. */
export class Handshakes {
  readonly #limitMs: number
  readonly #onSlow: () => void
  readonly #underWay = new Map<
    string,
    { readonly transport: Socket; readonly timer: NodeJS.Timeout }
  >()

  constructor(limitMs: number, onSlow: () => void) {
    this.#limitMs = limitMs
    this.#onSlow = onSlow
  }

  began(transport: Socket): void {
    const peer = peerOf(transport)
    const timer = setTimeout(() => {
      this.#onSlow()
      transport.destroy()
    }, this.#limitMs)
    this.#underWay.set(peer, { transport, timer })
    transport.once('close', () => {
      clearTimeout(timer)
      if (this.#underWay.get(peer)?.transport === transport) this.#underWay.delete(peer)
    })
  }

  /** @returns the TCP socket below; undefined when its client is gone already */
  ended(socket: Socket): Socket | undefined {
    const peer = peerOf(socket)
    const handshake = this.#underWay.get(peer)
    if (handshake === undefined) return undefined
    clearTimeout(handshake.timer)
    this.#underWay.delete(peer)
    return handshake.transport
  }
}

/** Both sockets of one connection say the same. */
function peerOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`
}
