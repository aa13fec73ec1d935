import { isLongInteger } from '@svc/store'

/**
 * What no reader sees and a model reads all the same: controls but tab and line ends, marks and overrides of direction,
 * and whatever Unicode lets a display leave out, such as zero-width characters, fillers, tags and variation selectors.
 * Of the selectors those stay that choose how an emoji looks, one behind each.
 */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex
  /(?:(?![\uFE0E\uFE0F])\p{Default_Ignorable_Code_Point}|(?<!\p{Emoji})[\uFE0E\uFE0F]|[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2060-\u206F\uFFF9-\uFFFB\u{13430}-\u{1343F}\u{E0000}-\u{E0FFF}])/gu

/** A text as models get it. @see assistants.md 6.7 */
export function cleanText(text: string): string {
  return text.toWellFormed().replace(HIDDEN, '')
}

/** A text on one line, cut where it is too long. */
export function cleanLine(text: string, max: number): string {
  return cut(cleanText(text).replaceAll(/\s+/g, ' ').trim(), max)
}

/** The beginning of a text, no character torn. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const end = isTorn(text, max) ? max - 1 : max
  return text.slice(0, end)
}

/** Whether a text can be the name of anything: no store takes others. */
export function isPrintable(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return text.isWellFormed() && !/[\u0000-\u001F\u007F]/.test(text)
}

/** Whether a cut before `at` would tear a pair of surrogates. */
export function isTorn(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1)
  const after = text.charCodeAt(at)
  return before >= 0xd8_00 && before <= 0xdb_ff && after >= 0xdc_00 && after <= 0xdf_ff
}

/** Every text in a result as models get it; names of members too. */
export function cleanDeep(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (Array.isArray(value)) return value.map(cleanDeep)
  if (typeof value !== 'object' || value === null || isLongInteger(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [cleanText(name), cleanDeep(member)]),
  )
}
