import { isIP, isIPv4 } from 'node:net'
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
    const socket = ctx.req.socket.remoteAddress ?? ''
    const forwarded = hops === 0 ? undefined : nthFromRight(ctx.get('X-Forwarded-For'), hops)
    return network(forwarded ?? socket)
  }
}

function nthFromRight(header: string, hops: number): string | undefined {
  const text = (header.split(',').at(-hops) ?? '').trim()
  const [, bracketed, plain] = WITH_PORT.exec(text) ?? []
  const address = bracketed ?? plain ?? text
  return isIP(address) === 0 ? undefined : address
}

function network(address: string): string {
  const plain = address.split('%', 1)[0] ?? ''
  if (isIPv4(plain)) return plain
  if (isIP(plain) === 0) return 'unknown'
  const groups = ipv6Groups(plain)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) {
    const [high = 0, low = 0] = groups.slice(6)
    return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** The eight groups of a valid address. */
function ipv6Groups(address: string): number[] {
  // The URL parser writes any spelling in groups only, with at most one `::`.
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const [left = '', right] = canonical.split('::')
  const parse = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
  const head = parse(left)
  const tail = parse(right ?? '')
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}
