const formats = new Map<string, Intl.ListFormat>()
const commas = new Map<string, string>()

/** Puts words one after the other, with "and" before the last; made once for a language. */
export function listFormat(locale: string): Intl.ListFormat {
  let format = formats.get(locale)
  if (format === undefined) {
    format = new Intl.ListFormat(locale, { type: 'conjunction' })
    formats.set(locale, format)
  }
  return format
}

/** What stands between the first of many: some languages put "and" between two, also in a list of units. */
export function commaOf(locale: string): string {
  let comma = commas.get(locale)
  if (comma === undefined) {
    const units = new Intl.ListFormat(locale, { type: 'unit' })
    comma = units.formatToParts(['1', '2', '3'])[1]?.value ?? ', '
    commas.set(locale, comma)
  }
  return comma
}
