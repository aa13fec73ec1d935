/** What newer engines know of how a language is written; the types of the language do not have it yet. */
interface Written {
  readonly getTextInfo?: () => { readonly direction?: string }
}

/** Languages that are written from right to left, for engines that cannot say it. */
const RIGHT_TO_LEFT: ReadonlySet<string> = new Set([
  'ar',
  'ckb',
  'dv',
  'fa',
  'he',
  'ps',
  'sd',
  'ug',
  'ur',
  'yi',
])

/**
 * Which way a language is written, by its BCP 47 tag. `ltr` for what is no tag.
 * @see owner.md 6.6
 * @example
 * const dir = directionOf('ar') // rtl
 */
export function directionOf(tag: string): 'ltr' | 'rtl' {
  const locale = localeOf(tag)
  if (locale === undefined) return 'ltr'
  const written: Intl.Locale & Written = locale
  const direction = written.getTextInfo?.().direction
  const isFallback = RIGHT_TO_LEFT.has(locale.language)
  return (direction === undefined ? isFallback : direction === 'rtl') ? 'rtl' : 'ltr'
}

function localeOf(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag.replaceAll('_', '-'))
  } catch {
    return undefined
  }
}
