import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = [Address, number]

/** All of IPv6 that is routed in public. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')
/** Looks public, and is the machine's own cloud platform. */
const PLATFORM = ipaddr.parseCIDR('168.63.129.16/32')

/**
 * Whether everybody in the internet would reach the same machine at this address. Allows global unicast minus special
 * blocks, so that what is unknown is refused: mapped, compatible, translated and tunnelled IPv4 included.
 * @see connectors.md 6.1 (3); D38
 */
export function isPublicAddress(address: string): boolean {
  const parsed = parse(address)
  if (parsed === undefined || parsed.range() !== 'unicast') return false
  if (parsed.kind() === 'ipv6') return parsed.match(GLOBAL_UNICAST)
  return !parsed.match(PLATFORM)
}

/** Whether an address lies in one of the networks, compared in its own family. */
export function isWithin(address: string, networks: readonly Network[]): boolean {
  const parsed = parse(address)
  return (
    parsed !== undefined &&
    networks.some((network) => network[0].kind() === parsed.kind() && parsed.match(network))
  )
}

/** @param cidrs - checked before */
export function parseNetworks(cidrs: readonly string[]): readonly Network[] {
  return cidrs.map((cidr) => ipaddr.parseCIDR(cidr))
}

function parse(address: string): Address | undefined {
  return isIP(address) === 0 ? undefined : ipaddr.parse(address)
}
