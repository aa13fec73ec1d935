import { isIP, type Socket } from 'node:net'
import { networkOf } from '../network-of.ts'
import type { Context } from 'koa'

/** An address with the port that some proxies add. */
const WITH_PORT = /^(?:\[([0-9A-Fa-f:.]{2,45})\]|([0-9.]{7,15}))(?::[0-9]{1,5})?$/

/**
 * Reads the client's address: that of the socket, or the one that the outermost trusted proxy saw. IPv4 as it is,
 * IPv6 as its /64, so that a counter cannot be dodged by changing addresses.
 * @param hops - trusted proxies in front, each of which adds to `X-Forwarded-For`; 0: the header is not looked at
 * @see security.md 3, 114
 */
export function createClientAddress(hops: number): (ctx: Context) => string {
  return function clientAddress(ctx) {
    const forwarded = hops === 0 ? undefined : nthFromRight(ctx.get('X-Forwarded-For'), hops)
    return forwarded === undefined ? networkOfSocket(ctx.req.socket) : networkOf(forwarded)
  }
}

/** Asked several times by each of the requests of a connection. */
const networks = new WeakMap<Socket, string>()

function networkOfSocket(socket: Socket): string {
  let network = networks.get(socket)
  if (network === undefined) {
    const { remoteAddress } = socket
    // It is over: what it was has gone with it.
    if (remoteAddress === undefined) return networkOf('')
    network = networkOf(remoteAddress)
    networks.set(socket, network)
  }
  return network
}

function nthFromRight(header: string, hops: number): string | undefined {
  const text = (header.split(',').at(-hops) ?? '').trim()
  const [, bracketed, plain] = WITH_PORT.exec(text) ?? []
  const address = bracketed ?? plain ?? text
  return isIP(address) === 0 ? undefined : address
}
