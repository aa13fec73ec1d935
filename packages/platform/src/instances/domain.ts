import { domainToASCII } from 'node:url'
import type { Subdomains } from './instance.ts'

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/** ASCII that no name holds. */
const STRANGE = /[^A-Za-z0-9.\-\u0080-\u{10ffff}]/u
const HOST = /^[A-Za-z0-9._~%!$&'()*+,;=-]+(?::[0-9]{1,5})?$|^\[[0-9A-Fa-f:.]+\](?::[0-9]{1,5})?$/

/**
 * The one spelling of a host an instance is stored under: lower case, IDNA ASCII, without the scheme's default port.
 * @throws TypeError for anything that is no DNS name with an optional port; in flat mode also for a name whose first
 * label holds `-` or that has one label only (`login.md` 3.5)
 */
export function normalizeDomain(
  text: string,
  options: { readonly subdomains: Subdomains; readonly isHttps: (domain: string) => boolean },
): string {
  const [, name = '', port] = /^([^:]*)(?::([0-9]{1,5}))?$/s.exec(text) ?? []
  // domainToASCII answers '' for what is no host name; paths and percent-encoding it would cut off and decode.
  const ascii = name.length > 253 || STRANGE.test(name) ? '' : domainToASCII(name)
  const labels = ascii.split('.')
  const last = labels.at(-1) ?? ''
  const isName = labels.every((label) => LABEL.test(label)) && !/^(?:\d+|0x[0-9a-f]*)$/.test(last)
  const isPort = port === undefined || (Number(port) >= 1 && Number(port) <= 65_535)
  if (!isName || ascii.length > 253 || !isPort) {
    throw new TypeError(`malformed domain ${JSON.stringify(text.slice(0, 300))}`)
  }
  if (options.subdomains === 'flat' && (labels.length < 2 || labels[0]?.includes('-') === true)) {
    throw new TypeError(
      `${ascii}: with flat subdomains a domain has a dot, and its first label no "-"`,
    )
  }
  if (port === undefined) return ascii
  const domain = `${ascii}:${Number(port)}`
  return withoutDefaultPort(domain, options.isHttps(ascii))
}

/**
 * Removes `:443` from an https host, `:80` from an http one.
 * @example
 * const host = withoutDefaultPort('alice.example.com:443', true) // alice.example.com
 */
export function withoutDefaultPort(host: string, isHttps: boolean): string {
  const suffix = isHttps ? ':443' : ':80'
  return host.endsWith(suffix) ? host.slice(0, -suffix.length) : host
}

/** The name that a host has without its port: what cookies and DNS know of it. */
export function hostName(host: string): string {
  return host.replace(/:[0-9]*$/, '')
}

/** Whether a Host header is one at all; it may still be nobody's. @see security.md 2 */
export function isHostSyntax(host: string): boolean {
  return host.length <= 260 && HOST.test(host)
}
