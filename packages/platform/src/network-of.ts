import { isIP, isIPv4 } from 'node:net'

/**
 * What one visitor can be told apart by: an IPv4 address as it is, an IPv6 address as its /64, since a visitor has as
 * many addresses of that network as it likes. An IPv4 address written as IPv6 (`::ffff:192.0.2.1`) is the IPv4 address.
 * @returns `unknown` for what is no address
 * @example
 * const network = networkOf('2001:db8::1') // its /64
 */
export function networkOf(address: string): string {
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
