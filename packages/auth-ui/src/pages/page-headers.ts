import type { Context } from 'koa'

/** What a page's headers depend on. */
export interface PageHeaders {
  /**
   * Sources beside `'self'` that the page's form may end at: origins or `scheme:`, re-serialised, never raw text of a
   * client. @see security.md 8, decision D48
   */
  readonly formActionSources?: readonly string[]
  /**
   * Whether an authorization in a pop-up can pass through this page: it keeps its opener. @see decision D55
   * @defaultValue `false`
   */
  readonly keepsOpener?: boolean
  /** Whether style sheets show images that are part of them. @defaultValue `false` */
  readonly hasDataImages?: boolean
  /** `sha256-…` of the style inside a page that loads nothing; such a page runs no script either. */
  readonly styleHash?: string
}

const SOURCE = /^(?:[a-z][a-z0-9+.-]*:|https?:\/\/[a-z0-9.*-]+(?::\d{1,5})?)$/u

/**
 * The headers of every page: nothing is loaded but the instance's own files, nothing inline runs, nobody frames it.
 * @throws TypeError when a source is not an origin or a scheme
 * @see login.md 4.3, security.md 7, 8
 */
export function setPageHeaders(ctx: Context, headers: PageHeaders = {}): void {
  for (const [name, value] of Object.entries(pageHeaders(headers))) ctx.set(name, value)
}

/** The same, for a page that is not ours. @throws TypeError as {@link setPageHeaders} */
export function pageHeaders(headers: PageHeaders): Record<string, string> {
  return {
    'Content-Security-Policy': contentSecurityPolicy(headers),
    'X-Frame-Options': 'DENY',
    'Cross-Origin-Opener-Policy': headers.keepsOpener === true ? 'unsafe-none' : 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    'Content-Type': 'text/html; charset=utf-8',
  }
}

function contentSecurityPolicy(headers: PageHeaders): string {
  const { formActionSources = [], hasDataImages = false, styleHash } = headers
  for (const source of formActionSources)
    if (!SOURCE.test(source)) throw new TypeError('formActionSources: not an origin or a scheme')
  const loaded =
    styleHash === undefined
      ? [
          "script-src 'self'",
          "style-src 'self'",
          `img-src 'self'${hasDataImages ? ' data:' : ''}`,
          "connect-src 'self'",
        ]
      : [`style-src '${styleHash}'`]
  return [
    "default-src 'none'",
    ...loaded,
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
    ["form-action 'self'", ...new Set(formActionSources)].join(' '),
  ].join('; ')
}

/** Whether an authorization in a pop-up can pass through the page at a path. @see decision D55 */
export function keepsOpener(path: string): boolean {
  return /^\/auth\/(?:authorize|login|twofactor|magic_link|confirm)(?:\/|$)/u.test(path)
}
