import { domainToASCII } from 'node:url'

/** An `atext` run of RFC 5322; quoted local parts are refused: they were routed to other domains in the past. */
const LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Reads exactly one plain address: `local@domain`, ASCII local part without quotes, domain name (IDNA accepted).
 * Answers it with its domain in ASCII, or undefined for anything else: lists, names, comments, routes, literals.
 * @see security.md 98
 * @example
 * const address = parseAddress('alice@example.com')
 */
export function parseAddress(text: string): string | undefined {
  if (text.length > 254) return undefined
  const at = text.indexOf('@')
  const local = text.slice(0, at)
  const written = text.slice(at + 1)
  if (at < 1 || local.length > 64 || !LOCAL.test(local)) return undefined
  // `domainToASCII` would quietly drop or map characters that no domain has.
  if (/[\s\u0000-\u0020\u007f%/\\?#:@[\]<>,;"()]/.test(written)) return undefined
  const domain = domainToASCII(written)
  if (
    domain === '' ||
    domain.length > 253 ||
    !domain.split('.').every((label) => LABEL.test(label))
  )
    return undefined
  return `${local}@${domain}`
}
