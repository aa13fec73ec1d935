import { isIP } from 'node:net'
import {
  createOutbound,
  hostName,
  type Instance,
  type Instances,
  type Outbound,
  parseAppHost,
} from '@svc/platform'

/** Which rule an identifier breaks. */
export type IdentifierFault =
  | 'characters'
  | 'fragment'
  | 'host'
  | 'length'
  | 'loopback'
  | 'own_host'
  | 'path'
  | 'port'
  | 'query'
  | 'spelling'
  | 'url'
  | 'userinfo'

export const MAX_URL_CLIENT_ID_LENGTH = 512
const PRINTABLE = /^[\x21-\x7e]+$/
const AUTHORITY = /^https?:\/\/([^/?#]*)/
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?=\/|$)/i
const LOWEST_FREE_PORT = 1024
/** SPEC: assistants.md 2.1 - services that understand a few lines of HTTP as lines of their own. */
const REFUSED_PORTS = [22, 25, 110, 143, 3306, 5432, 6379]
const LOOPBACKS: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Whether the address is one of this machine's, which is for development only. @see assistants.md 2.13 */
export function isLoopbackClientId(text: string): boolean {
  return text.startsWith('http://')
}

/**
 * What is wrong with the text of an identifier, before anything is looked up; undefined: nothing.
 * @param base - origin of the instance that is asked
 * @see assistants.md 2.1, 2.13
 */
export function findIdentifierFault(text: string, base: string): IdentifierFault | undefined {
  if (text.length > MAX_URL_CLIENT_ID_LENGTH) return 'length'
  if (!PRINTABLE.test(text) || text.includes('\\')) return 'characters'
  if (text.includes('#')) return 'fragment'
  if (text.includes('?')) return 'query'
  const [, authority = ''] = AUTHORITY.exec(text) ?? []
  if (authority.includes('@')) return 'userinfo'
  const url = URL.parse(text)
  if (url === null) return 'url'
  const faultOfHost = isLoopbackClientId(text)
    ? findLoopbackFault(url, base)
    : findHostFault(url.hostname)
  if (faultOfHost !== undefined) return faultOfHost
  if (url.port !== '' && !isFreePort(Number(url.port))) return 'port'
  if (url.pathname === '/' || DOT_SEGMENT.test(text)) return 'path'
  // Another spelling of the same address would be another client, which the owner cannot tell from this one.
  return url.href === text ? undefined : 'spelling'
}

function findHostFault(hostname: string): IdentifierFault | undefined {
  if (hostname.startsWith('[') || isIP(hostname) !== 0) return 'host'
  const labels = hostname.split('.')
  return labels.length > 1 && labels.every((label) => label !== '') ? undefined : 'host'
}

function findLoopbackFault({ hostname, port }: URL, base: string): IdentifierFault | undefined {
  if (!isDevelopmentBase(base) || !LOOPBACKS.includes(hostname)) return 'loopback'
  return port === '' ? 'port' : undefined
}

/** SPEC: assistants.md 2.13 - whatever networks the operator trusts otherwise. */
function isDevelopmentBase(base: string): boolean {
  const { protocol, hostname } = new URL(base)
  return protocol === 'http:' && (hostname === 'localhost' || hostname.endsWith('.localhost'))
}

function isFreePort(port: number): boolean {
  return port >= LOWEST_FREE_PORT && !REFUSED_PORTS.includes(port)
}

/**
 * Whether an identifier names a host of this server: an instance by its domain or an alias, or an app of one. The server
 * would call itself.
 * @param text - without a fault of its own
 */
export async function isOwnIdentifier(
  text: string,
  instance: Instance,
  instances: Pick<Instances, 'byHost'>,
): Promise<boolean> {
  const { host, hostname } = new URL(text)
  const { domain, aliases, subdomains } = instance
  // Programs listen on other ports of this machine beside an instance that is there.
  if (isLoopbackClientId(text)) return [domain, ...aliases].includes(host)
  const own = [domain, ...aliases].map(hostName)
  if (own.some((each) => hostname === each || hostname.endsWith(`.${each}`))) return true
  const names = [host, hostname]
  const domains = names.flatMap((name) => parseAppHost(name, subdomains)?.domain ?? [])
  for (const name of new Set([...names, ...domains])) {
    if ((await instances.byHost(name)) !== undefined) return true
  }
  return false
}

/** The host that the owner is shown and policies are about: lower case, A-labels, without the port. */
export function hostOfClientId(text: string): string {
  return new URL(text).hostname
}

/**
 * The way to documents and keys: to addresses of this machine by one that leads nowhere else, whatever the name resolves
 * to.
 * @param outbound - the way to all others
 * @see assistants.md 2.13
 */
export function documentWay(outbound: Outbound): Outbound {
  let loopback: Outbound | undefined
  return {
    request(url, wanted) {
      if (!isLoopbackClientId(String(url))) return outbound.request(url, wanted)
      loopback ??= createOutbound({
        trustedNetworks: ['127.0.0.1/32', '::1/128'],
        lookup: async () => ['127.0.0.1', '::1'],
      })
      return loopback.request(url, wanted)
    },
  }
}
