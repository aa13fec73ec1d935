/**
 * A date in words, as a careful writer of the language has it: French writes the first of a month as an ordinal, which
 * `Intl` does not. German (`1.`), Spanish and English need nothing more. `_kit/dates.js` of `@svc/auth-ui` does the same
 * in browsers.
 * @param at - milliseconds since the epoch
 * @throws RangeError for a locale or zone that this runtime does not know
 * @example
 * const text = dateText('fr', { day: 'numeric', month: 'long', timeZone: 'UTC' }, Date.now())
 */
export function dateText(locale: string, options: Intl.DateTimeFormatOptions, at: number): string {
  const format = new Intl.DateTimeFormat(locale, options)
  if (!/^fr(?:-|$)/i.test(locale)) return format.format(at)
  const parts = format.formatToParts(at)
  const isNamed = parts.some(({ type, value }) => type === 'month' && /\p{L}/u.test(value))
  return parts
    .map(({ type, value }) => (isNamed && type === 'day' && value === '1' ? '1er' : value))
    .join('')
}
