import { type Isolated, leftToRight } from '../messages.ts'

/** Where the answer goes, in words: a text of the catalogue and its values. */
export interface TargetWords {
  readonly key: string
  readonly values: Record<string, Isolated>
  /** Whether only the address is certain, so that it is worth a second look. */
  readonly isWarning: boolean
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Schemes a link of a page must never have: they run in the page, or show something in its name. */
const RUNS_HERE: ReadonlySet<string> = new Set([
  'about:',
  'blob:',
  'data:',
  'filesystem:',
  'javascript:',
  'vbscript:',
  'view-source:',
])

/** Says where a redirect URI leads. The text is not the client's own: only host and scheme are certain. */
export function redirectTarget(redirectUri: string): TargetWords {
  const url = URL.parse(redirectUri)
  if (url === null || url.protocol === 'urn:')
    return { key: 'consent.target.manual', values: {}, isWarning: false }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return {
      key: 'consent.target.app',
      values: { scheme: leftToRight(url.protocol) },
      isWarning: true,
    }
  if (LOOPBACK.has(url.hostname))
    return { key: 'consent.target.local', values: {}, isWarning: true }
  return { key: 'consent.target.web', values: { host: leftToRight(url.host) }, isWarning: true }
}

/** A parsed web address, or undefined for anything that is not http(s): autoescape lets `javascript:` through. */
export function webAddress(text: string | undefined): URL | undefined {
  const url = text === undefined ? null : URL.parse(text)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined
  return url
}

/**
 * An address for a link, byte for byte, when it leads out of the page: a path of the instance, or an absolute address
 * of a scheme that runs nothing here.
 */
export function workingLink(text: string): string | undefined {
  if (text.startsWith('/') && !text.startsWith('//') && !text.includes('\\')) return text
  const url = URL.parse(text)
  return url === null || RUNS_HERE.has(url.protocol) ? undefined : text
}
