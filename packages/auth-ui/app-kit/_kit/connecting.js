/**
 * The way of an account through a provider's pages and back. What comes back in the address counts only when this browser
 * went that way: anybody can make a link with an outcome in it.
 *
 * @typedef {{ state: string, name: string, isPopup: boolean }} Pending
 * @typedef {Pending & { account: string, error: string }} Outcome one of `account` and `error` is empty
 */

const KEY = 'svc.connecting'

/** Outcomes that have words of their own, `accounts.error.<code>`. @type {ReadonlySet<string>} */
const CODES = new Set([
  'access_denied',
  'account_mismatch',
  'account_not_found',
  'invalid_response',
  'issuer_mismatch',
  'provider_error',
  'provider_timeout',
  'provider_unavailable',
  'token_exchange_failed',
])

/**
 * Remembers that an account is being connected.
 *
 * @param {{ origin: string, slug: string, accountType: string, account?: string, scope?: readonly string[] }} target
 *   `account`: the one that is connected again
 * @param {{ name: string, isPopup: boolean }} about
 * @returns {{ href: string, state: string }} where the owner goes
 */
export function beginConnecting({ origin, slug, accountType, account, scope = [] }, about) {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const state = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  localStorage.setItem(KEY, JSON.stringify({ ...about, state }))
  const query = new URLSearchParams({ slug, state })
  if (scope.length > 0) query.set('scope', scope.join(' '))
  const path = [accountType, ...(account === undefined ? ['start'] : [account, 'reconnect'])]
  return { href: `${origin}/accounts/${path.map(encodeURIComponent).join('/')}?${query}`, state }
}

/**
 * The outcome in this page's address, which it is taken from. Undefined when there is none that was waited for.
 *
 * @returns {Outcome | undefined}
 */
export function receiveOutcome() {
  const query = new URLSearchParams(location.search)
  const account = query.get('account') ?? ''
  const error = query.get('error') ?? ''
  if (account === '' && error === '') return undefined
  history.replaceState(null, '', location.pathname + location.hash)
  const pending = readPending()
  if (pending === undefined || pending.state !== query.get('state')) return undefined
  localStorage.removeItem(KEY)
  return { ...pending, account, error }
}

/** @returns {Pending | undefined} */
function readPending() {
  try {
    // Written above.
    return JSON.parse(localStorage.getItem(KEY) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/**
 * What an outcome says to the owner, and what to do next.
 *
 * @param {import('./texts.js').Translate} t
 * @param {{ name: string, error: string }} outcome
 */
export function outcomeText(t, { name, error }) {
  if (error === '') return t('accounts.connected', { name })
  return t(`accounts.error.${CODES.has(error) ? error : 'internal_error'}`, { name })
}
