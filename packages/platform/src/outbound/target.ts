import { isIP } from 'node:net'
import { isPublicAddress, isWithin, type parseNetworks } from './address-rules.ts'
import { OutboundError } from './outbound-error.ts'

/** Where a call goes, checked. */
export interface Target {
  readonly url: URL
  /** Name or literal, without brackets. */
  readonly hostname: string
  /** The only addresses to connect to; never empty. */
  readonly addresses: readonly string[]
}

export interface TargetRules {
  readonly trustedNetworks: ReturnType<typeof parseNetworks>
  readonly lookup: (hostname: string) => Promise<readonly string[]>
}

const MAX_URL_CHARACTERS = 16_384
const LOWEST_FREE_PORT = 1024
const HTTPS_PORT = 443

/**
 * Checks what the URL itself says.
 * @throws OutboundError `refused`
 * @see connectors.md 6.1 (4)
 */
export function checkUrl(url: string | URL, isTrusted: boolean): URL {
  const parsed = URL.parse(String(url))
  if (parsed === null || parsed.href.length > MAX_URL_CHARACTERS) throw refusal('url')
  if (parsed.username !== '' || parsed.password !== '') throw refusal('userinfo')
  if (parsed.hostname === '') throw refusal('url')
  if (!isTrusted && !isForEverybody(parsed)) {
    throw refusal(parsed.protocol === 'https:' ? 'port' : 'scheme')
  }
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') throw refusal('scheme')
  return parsed
}

/**
 * Finds the addresses of a checked URL. Any that may not be reached refuses them all: a name that also points inside is
 * meant to get in.
 * @throws OutboundError `refused`, `unreachable`
 * @see connectors.md 6.1 (3), (5)
 */
export async function findTarget(
  url: URL,
  isTrusted: boolean,
  rules: TargetRules,
): Promise<Target> {
  const hostname = url.hostname.replace(/^\[|\]$/g, '')
  const addresses = isIP(hostname) === 0 ? await addressesOf(hostname, rules.lookup) : [hostname]
  const isOwn = (address: string): boolean => isTrusted && isWithin(address, rules.trustedNetworks)
  if (!addresses.every((address) => isOwn(address) || isPublicAddress(address))) {
    throw refusal('address')
  }
  if (!isForEverybody(url) && !addresses.every(isOwn)) {
    throw refusal(url.protocol === 'https:' ? 'port' : 'scheme')
  }
  return { url, hostname, addresses }
}

/** Whether scheme and port are those of public servers. */
function isForEverybody(url: URL): boolean {
  const port = url.port === '' ? HTTPS_PORT : Number(url.port)
  return url.protocol === 'https:' && (port === HTTPS_PORT || port >= LOWEST_FREE_PORT)
}

async function addressesOf(
  hostname: string,
  lookup: TargetRules['lookup'],
): Promise<readonly string[]> {
  let addresses: readonly string[]
  try {
    addresses = await lookup(hostname)
  } catch (cause) {
    throw new OutboundError('unreachable', 'lookup', { cause })
  }
  if (addresses.length === 0) throw new OutboundError('unreachable', 'lookup')
  return addresses
}

function refusal(rule: string): OutboundError {
  return new OutboundError('refused', rule)
}
