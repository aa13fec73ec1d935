import type { HttpError, RouteContext } from '@svc/platform'
import type { ErrorPageModel } from './page-models.ts'

/** One link on an error page. */
export type NextStep = Exclude<NonNullable<ErrorPageModel['next']>, { readonly label: 'client' }>

/** How a form's page is opened again: its path, and which fields its query takes, by their names there. */
interface Page {
  readonly path: string
  /** Query name to field name; absent: everything that was asked for, but what belongs to this one page. */
  readonly keeps?: Readonly<Record<string, string>>
}

const REDIRECT = { redirect: 'redirect' }
const LOGIN: Page = { path: '/auth/login', keeps: REDIRECT }
const RESET: Page = {
  path: '/auth/passphrase_reset',
  keeps: { from: 'from', redirect: 'redirect' },
}
/** It knows by its token what was asked for, dead or alive. */
const SECOND_STEP: Page = {
  path: '/auth/twofactor',
  keeps: { two_factor_token: 'two-factor-token' },
}
const MAGIC_LINK: Page = {
  path: '/auth/magic_link',
  keeps: { code: 'magic_code', redirect: 'redirect' },
}

/** Pages by the path that was asked. */
const PAGES: ReadonlyMap<string, Page> = new Map<string, Page>([
  ['/auth/authorize', { path: '/auth/authorize' }],
  ['/auth/authorize/move', { path: '/auth/authorize/move' }],
  ['/auth/authorize/sharing', { path: '/auth/authorize/sharing' }],
  ['/auth/confirm', { path: '/auth/confirm', keeps: { state: 'state', redirect: 'redirect' } }],
  ['/auth/hint', RESET],
  ['/auth/login', LOGIN],
  ['/auth/magic_link', LOGIN],
  [
    '/auth/magic_link/open',
    { path: '/auth/magic_link', keeps: { code: 'code', redirect: 'redirect' } },
  ],
  ['/auth/magic_link/twofactor', MAGIC_LINK],
  ['/auth/onboarding/resend', { path: '/auth/login', keeps: {} }],
  ['/auth/passkey', { path: '/auth/passkey', keeps: {} }],
  [
    '/auth/passphrase_renew',
    { path: '/auth/passphrase_renew', keeps: { token: 'passphrase_reset_token', from: 'from' } },
  ],
  ['/auth/passphrase_reset', RESET],
  ['/auth/twofactor', SECOND_STEP],
  ['/auth/twofactor/resend', SECOND_STEP],
  [
    '/settings/passphrase',
    {
      path: '/auth/passphrase',
      keeps: { registerToken: 'register_token', redirection: 'redirection' },
    },
  ],
])

/** Fields that belong to one showing of a page, and those that never stand in an address. */
const SPENT = new Set([
  'choice',
  'consent',
  'csrf_token',
  'duration',
  'passphrase',
  'session_code',
  'two-factor-passcode',
  'two-factor-token',
])

/** The same form again helps: nothing is wrong with what was asked. */
const AGAIN = new Set([
  'busy',
  'consent_outdated',
  'cookies_blocked',
  'cross_origin',
  'csrf_invalid',
  'csrf_missing',
  'mail_failed',
  'not_authenticated',
  'nothing_chosen',
  'rate_limited',
])

/** A path that a browser takes for another host's is none (login.md 10.2). */
const OWN = /^\/(?![/\\])/

/** What was held is spent or too old: the page that makes a new one. */
const ANEW: ReadonlyMap<string, { readonly page: Page; readonly label: NextStep['label'] }> =
  new Map([
    ['invalid_magic_code', { page: LOGIN, label: 'login' }],
    ['invalid_token', { page: RESET, label: 'reset' }],
    ['magic_link_disabled', { page: LOGIN, label: 'login' }],
    ['passphrase_required', { page: LOGIN, label: 'login' }],
  ] as const)

/**
 * The one link on an error page that works and keeps what was asked for; else the instance's front door. It leads to a
 * page of the instance that checks everything again.
 */
export function nextStep(ctx: RouteContext, error: Pick<HttpError, 'code' | 'status'>): NextStep {
  // SPEC: owner.md 8.6 - an address that somebody opened and that takes tokens alone.
  if (error.code === 'missing_token' && OWN.test(ctx.path)) {
    const back = `${ctx.state.instance.origin}${addressOf(ctx)}`
    return { href: `/auth/login?redirect=${encodeURIComponent(back)}`, label: 'login' }
  }
  // Where the instance itself is out of service, nothing of the request was read.
  const page = Object.hasOwn(ctx.state, 'form') ? PAGES.get(ctx.path) : undefined
  if (page !== undefined && AGAIN.has(error.code)) {
    // Without a session, the same address leads through the login.
    const label = error.code === 'not_authenticated' ? 'login' : 'retry'
    return { href: hrefOf(ctx, page), label }
  }
  const anew = ANEW.get(error.code)
  // A register token is no reset token, though both are called invalid.
  if (anew !== undefined && ctx.path.startsWith('/auth/')) {
    return { href: hrefOf(ctx, anew.page), label: anew.label }
  }
  // Out of order for a moment: the same address again, which a form that was posted has not.
  if (error.status >= 500 && page === undefined && ctx.method === 'GET' && OWN.test(ctx.path)) {
    return { href: addressOf(ctx), label: 'retry' }
  }
  if (error.status >= 500 && page !== undefined) return { href: hrefOf(ctx, page), label: 'retry' }
  return { href: '/', label: 'home' }
}

function addressOf(ctx: RouteContext): string {
  return ctx.querystring === '' ? ctx.path : `${ctx.path}?${ctx.querystring}`
}

/** The page of a form that was posted, with everything that was asked for: a path of the instance. */
export function recoveryHref(ctx: RouteContext): string {
  const page = PAGES.get(ctx.path)
  return page === undefined ? '/' : hrefOf(ctx, page)
}

function hrefOf(ctx: RouteContext, { path, keeps }: Page): string {
  const query = new URLSearchParams()
  for (const [name, value] of keeps === undefined ? everything(ctx) : kept(ctx, keeps)) {
    query.append(name, value)
  }
  return query.size === 0 ? path : `${path}?${query.toString()}`
}

function isSpent(name: string): boolean {
  return SPENT.has(name) || /^(?:group|permission)-/u.test(name)
}

function* everything({ state }: RouteContext): Generator<readonly [string, string]> {
  const { query, form } = state
  const asked = [...form.entries()].length > 0 ? form : query
  for (const [name, value] of asked.entries()) if (!isSpent(name)) yield [name, value]
}

function* kept(
  { state }: RouteContext,
  keeps: Readonly<Record<string, string>>,
): Generator<readonly [string, string]> {
  for (const [name, field] of Object.entries(keeps)) {
    const value = state.form.text(field) || state.query.text(field) || state.query.text(name)
    if (value !== '') yield [name, value]
  }
}
