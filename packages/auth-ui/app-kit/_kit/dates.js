/**
 * A date in words, as the server writes it: French has the first of a month as an ordinal.
 *
 * @param {string} locale
 * @param {Intl.DateTimeFormatOptions} options
 * @param {Date} at
 */
export function dateText(locale, options, at) {
  const format = new Intl.DateTimeFormat(locale, options)
  if (!/^fr(?:-|$)/iu.test(locale)) return format.format(at)
  const parts = format.formatToParts(at)
  const isNamed = parts.some(({ type, value }) => type === 'month' && /\p{L}/u.test(value))
  return parts
    .map(({ type, value }) => (isNamed && type === 'day' && value === '1' ? '1er' : value))
    .join('')
}
