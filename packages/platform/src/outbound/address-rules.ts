import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = [Address, number]

/** All of IPv6 that is routed in public. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')
/** Leads to the IPv4 address in its last four bytes, where a network has IPv6 alone (RFC 6052 2.1). */
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96')
/** Looks public, and is the machine's own cloud platform. */
const PLATFORM = ipaddr.parseCIDR('168.63.129.16/32')

/**
 * Whether everybody in the internet would reach the same machine at this address. Allows global unicast minus special
 * blocks, so that what is unknown is refused: mapped, compatible and tunnelled IPv4 included. NAT64 is judged by the IPv4
 * address inside.
 * @see connectors.md 6.1 (3); D38, D97
 */
export function isPublicAddress(address: string): boolean {
  const given = parse(address)
  const parsed = given && judged(given)
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

/** The IPv4 address inside one of NAT64. One with a zone is on a link of this machine, whatever it looks like. */
function judged(address: Address): Address {
  const isNat64 = address.kind() === 'ipv6' && address.match(NAT64)
  if (!isNat64 || address.toString().includes('%')) return address
  return new ipaddr.IPv4(address.toByteArray().slice(-4))
}

function parse(address: string): Address | undefined {
  return isIP(address) === 0 ? undefined : ipaddr.parse(address)
}
