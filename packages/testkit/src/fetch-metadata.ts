import { getPublicSuffix } from 'tough-cookie'

/** Who made a browser send a request. */
export interface Initiator {
  /**
   * Origin of the page the request comes from: `same-origin` (that of the target), `address-bar` (no page), or an
   * origin such as `https://evil.example`.
   * @defaultValue `address-bar`
   */
  readonly from?: string
  /** `navigate`: the answer becomes the page; `cors`: a script's `fetch`. @defaultValue `navigate` */
  readonly mode?: 'navigate' | 'cors'
  /** Whether cookies are sent and kept. @defaultValue `true` */
  readonly credentials?: boolean
}

type Site = 'none' | 'same-origin' | 'same-site' | 'cross-site'

/** Headers a browser adds by itself. @see W3C Fetch Metadata; Fetch standard, "append a request Origin header" */
export function fetchMetadata(
  url: URL,
  method: string,
  initiator: Initiator,
): Record<string, string> {
  const isNavigation = (initiator.mode ?? 'navigate') === 'navigate'
  const site = siteOf(url, initiator)
  const isSafe = method === 'GET' || method === 'HEAD'
  const hasOrigin = site !== 'none' && (!isSafe || (!isNavigation && site !== 'same-origin'))
  const from = originOf(url, initiator)
  return {
    accept: isNavigation ? 'text/html,application/xhtml+xml,*/*;q=0.8' : '*/*',
    'sec-fetch-dest': isNavigation ? 'document' : 'empty',
    'sec-fetch-mode': isNavigation ? 'navigate' : 'cors',
    'sec-fetch-site': site,
    ...(isNavigation ? { 'sec-fetch-user': '?1' } : {}),
    ...(hasOrigin && from !== undefined ? { origin: from } : {}),
  }
}

/** Which cookies SameSite lets through. */
export function sameSiteContext(
  url: URL,
  method: string,
  initiator: Initiator,
): { sameSiteContext: 'strict' | 'lax' | 'none' } {
  if (siteOf(url, initiator) !== 'cross-site') return { sameSiteContext: 'strict' }
  const isTopLevelGet = (initiator.mode ?? 'navigate') === 'navigate' && method === 'GET'
  return { sameSiteContext: isTopLevelGet ? 'lax' : 'none' }
}

function originOf(url: URL, { from = 'address-bar' }: Initiator): string | undefined {
  if (from === 'address-bar') return undefined
  return from === 'same-origin' ? url.origin : from
}

function siteOf(url: URL, initiator: Initiator): Site {
  const from = originOf(url, initiator)
  if (from === undefined) return 'none'
  if (from === url.origin) return 'same-origin'
  // A sandboxed frame or a file has the opaque origin "null".
  if (!URL.canParse(from)) return 'cross-site'
  const page = new URL(from)
  const isSame = page.protocol === url.protocol && siteName(page) === siteName(url)
  return isSame ? 'same-site' : 'cross-site'
}

function siteName({ hostname }: URL): string {
  try {
    return getPublicSuffix(hostname, { allowSpecialUseDomain: true }) ?? hostname
  } catch {
    return hostname
  }
}
