import { createRequire } from 'node:module'
import { BlockList, isIP } from 'node:net'
import type * as tldts from 'tldts'

/** Fields that hold addresses this server, or the owner's browser, goes to. */
export const URL_FIELDS = [
  'auth_endpoint',
  'token_endpoint',
  'refresh_endpoint',
  'revocation_endpoint',
  'issuer',
] as const

const load = createRequire(import.meta.url)
const MAX_URL_CHARACTERS = 2048
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0020\u007f-\u009f]/

/**
 * What is wrong with an address, or undefined.
 * @param mayBePlain - whether `http:` is right too
 * @see connectors.md 2.2 (1)
 */
export function urlFault(text: string, mayBePlain: boolean): string | undefined {
  if (text.length > MAX_URL_CHARACTERS) return 'is too long'
  if (CONTROL.test(text)) return 'has spaces or control characters'
  const url = URL.parse(text)
  if (url === null || !/^https?:\/\//i.test(text)) return 'must be an absolute https URL'
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password'
  if (text.includes('#')) return 'must not have a fragment'
  if (url.protocol === 'http:' && !mayBePlain) return 'must be https'
  return undefined
}

/** Whether two addresses belong to one registrant; addresses without registrable domain when the hosts are the same. */
export function isSameSite(a: string, b: string): boolean {
  return siteOf(a) === siteOf(b)
}

/** The registrable domain of an address, or its host. */
export function siteOf(text: string): string {
  const hostname = URL.parse(text)?.hostname ?? ''
  // Loaded when first needed, and at once: the list of all suffixes takes 9 MiB (docs/decisions/0721).
  const { getDomain } = load('tldts') as typeof tldts
  return getDomain(hostname, { allowPrivateDomains: true }) ?? hostname
}

/**
 * Whether every address of the URL's host is in one of the operator's own networks.
 * @param cidrs - checked before
 * @param lookup - addresses of a name, none when it has none
 */
export async function isHostWithin(
  cidrs: readonly string[],
  lookup: (hostname: string) => Promise<readonly string[]>,
  url: string,
): Promise<boolean> {
  if (cidrs.length === 0) return false
  const networks = new BlockList()
  for (const cidr of cidrs) {
    const [address = '', prefix = ''] = cidr.split('/')
    networks.addSubnet(address, Number(prefix), familyOf(address))
  }
  const hostname = (URL.parse(url)?.hostname ?? '').replace(/^\[|\]$/g, '')
  const addresses = isIP(hostname) === 0 ? await lookup(hostname).catch(() => []) : [hostname]
  return (
    addresses.length > 0 && addresses.every((address) => networks.check(address, familyOf(address)))
  )
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
