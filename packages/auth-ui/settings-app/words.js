import { ApiError } from './_kit/api.js'

/** Codes of refusals that have words of their own, `problem.<code>`. */
const KNOWN = new Set([
  'bad_address',
  'bad_phone',
  'busy',
  'factor_needed',
  'held',
  'invalid_hint',
  'invalid_passphrase',
  'kdf_iterations',
  'mail_failed',
  'no_email',
  'no_way_in',
  'phone_code_expired',
  'phone_code_invalid',
  'same_address',
  'text_failed',
  'token_renewed',
  'two_factor_expired',
  'two_factor_invalid',
])

/**
 * What went wrong, and what to do next.
 *
 * @param {unknown} error
 * @param {import('./_kit/texts.js').Translate} t
 */
export function wordsFor(error, t) {
  if (!(error instanceof ApiError)) return t('app.failed')
  if (error.status === 0) return t('app.offline')
  if (error.status === 429) {
    return t('problem.rate_limited', { minutes: Math.max(1, Math.ceil(error.retryAfterS / 60)) })
  }
  return KNOWN.has(error.code) ? t(`problem.${error.code}`) : t('app.failed')
}

/** @param {unknown} error @param {...string} codes */
export function isRefusal(error, ...codes) {
  return error instanceof ApiError && codes.includes(error.code)
}
