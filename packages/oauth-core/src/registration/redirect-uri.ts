import { hostName, type Instance, parseAppHost, withoutDefaultPort } from '@svc/platform'

const MAX_LENGTH = 2048
const PRINTABLE = /^[\x21-\x7e]+$/
/** Scheme, authority (with its slashes), rest; the rest of a URI that has no authority is all behind the colon. */
const PARTS = /^([A-Za-z][A-Za-z0-9+.-]*):(?:\/\/([^/?]*))?(.*)$/s
const LOOPBACKS: readonly string[] = ['localhost', '127.0.0.1', '[::1]']
const OUT_OF_BAND: readonly string[] = [
  'urn:ietf:wg:oauth:2.0:oob',
  'urn:ietf:wg:oauth:2.0:oob:auto',
]
/** Schemes that run code, name local content, or start something else than the client. */
const REFUSED_SCHEMES: ReadonlySet<string> = new Set([
  'about',
  'blob',
  'chrome',
  'data',
  'file',
  'filesystem',
  'ftp',
  'intent',
  'javascript',
  'mailto',
  'sms',
  'tel',
  'vbscript',
  'view-source',
  'ws',
  'wss',
])
/** SPEC: oauth.md 3.2 rule 6 - they would collide with the answer; `iss` is one of its members too (RFC 9207). */
const REFUSED_PARAMETERS = ['access_code', 'code', 'error', 'fallback', 'iss', 'state'] as const

/** What tells which hosts are an instance's own. */
export type OwnHosts = Pick<Instance, 'aliases' | 'domain' | 'isHttps' | 'subdomains'>

/**
 * Whether a client of the instance may be answered at this address. The text is kept byte for byte.
 * @see oauth.md 3.2; decision D61; security.md 88
 */
export function isRedirectUri(text: string, instance: OwnHosts): boolean {
  if (text.length > MAX_LENGTH || !PRINTABLE.test(text)) return false
  // An empty fragment is one as well.
  if (text.includes('\\') || text.includes('#')) return false
  const [, scheme = '', authority, rest = ''] = PARTS.exec(text) ?? []
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !hasFreeParameters(url)) return false
  if (authority?.includes('@') === true || authority?.includes('*') === true) return false
  const name = scheme.toLowerCase()
  if (name === 'https' || name === 'http') return isWebUri(name, authority, url, instance)
  if (name === 'urn') return OUT_OF_BAND.includes(text)
  if (REFUSED_SCHEMES.has(name) || (authority ?? '') + rest === '') return false
  return authority === undefined || !isOwnHost(authority.toLowerCase(), instance)
}

/** Whether a program of the owner's device gets what is sent there: by a port of it, or a scheme of its own. */
export function isProgramUri(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || url.protocol === 'urn:') return false
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:'
  return !isWeb || LOOPBACKS.includes(url.hostname)
}

function isWebUri(
  scheme: 'https' | 'http',
  authority: string | undefined,
  url: URL,
  instance: OwnHosts,
): boolean {
  const host = authority?.toLowerCase().replace(/:[0-9]*$/, '')
  // Spellings that parsers read differently (`127.1`, `%6c`) are not what the owner was shown.
  if (host === undefined || host !== url.hostname) return false
  if (scheme === 'http' && !LOOPBACKS.includes(host)) return false
  return !isOwnHost(url.host, instance)
}

/** SPEC: D61 - an answer sent to the instance itself, or to one of its apps, would be read there. */
function isOwnHost(host: string, { domain, aliases, isHttps, subdomains }: OwnHosts): boolean {
  const plain = withoutDefaultPort(host, isHttps).replace(/\.(?=:|$)/, '')
  const own = [domain, ...aliases]
  if (own.includes(plain)) return true
  const name = hostName(plain)
  // Programs listen on any port of this machine (RFC 8252 section 7.3), also beside an instance that is there.
  if (LOOPBACKS.includes(name)) return false
  // Cookies know no port, and those of a nested instance reach every host below it.
  const ownNames = own.map(hostName)
  if (ownNames.includes(name)) return true
  if (subdomains === 'nested') return ownNames.some((each) => name.endsWith(`.${each}`))
  return ownNames.includes(parseAppHost(name, subdomains)?.domain ?? '')
}

function hasFreeParameters({ searchParams }: URL): boolean {
  return REFUSED_PARAMETERS.every((name) => !searchParams.has(name))
}
