import { nearestName } from '@svc/store/options'
import { type ParseMessage, textFault } from './text-fault.ts'

/** Texts by key. */
type Catalogue = Readonly<Record<string, string>>

/** What is wrong, by the end of its path: `.<member>`, or `.<member>.<key>`. */
export type LanguageFaults = Readonly<Record<string, string>>

/** A language beside English. */
export interface GivenLanguage {
  readonly locale: string
  readonly given: Catalogue
  /** The English texts. */
  readonly ours: Catalogue
  /** Whether gaps are meant. */
  readonly partial: boolean
}

const SHOWN_GAPS = 5
/** Ending of the keys of one text of an app that depends on a count. */
const CATEGORY = /_(?:zero|one|two|few|many|other)$/u
const PLACEHOLDER = /\{(\w+)\}/gu

/**
 * Texts in the place of single ones, in ICU syntax.
 * @example
 * const given = { 'login.title': 'Hello' }
 * const faults = textFaults({ locale: 'en', given, ours: { 'login.title': 'Log in' }, parse })
 */
export function textFaults({
  given,
  ours,
  ...how
}: Omit<GivenLanguage, 'partial'> & { readonly parse: ParseMessage }): LanguageFaults {
  const faults: Record<string, string> = {}
  for (const [key, text] of Object.entries(given)) {
    const problem = Object.hasOwn(ours, key)
      ? textFault(text, ours[key] ?? '', how)
      : unknownKey(key, Object.keys(ours))
    if (problem !== undefined) faults[`.${key}`] = problem
  }
  return faults
}

/**
 * A whole language of pages or mails, in ICU syntax: the member `messages`.
 * @example
 * const given = { 'login.title': 'Inloggen' }
 * const faults = messageFaults({ locale: 'nl', given, ours: { 'login.title': 'Log in' }, partial: true, parse })
 */
export function messageFaults(
  language: GivenLanguage & { readonly parse: ParseMessage },
): LanguageFaults {
  const { given, ours, partial } = language
  const faults = Object.entries(textFaults(language)).map(
    ([key, problem]) => [`.messages${key}`, problem] as const,
  )
  return {
    ...gapFault('.messages', missingTexts(given, ours), partial),
    ...Object.fromEntries(faults),
  }
}

/**
 * A whole language of an app: its texts have the simpler form with `key_one` and `key_other`.
 * @example
 * const faults = appTextFaults('home', { locale: 'nl', given: { 'login.title': 'Inloggen' }, ours: { 'login.title': 'Log in' }, partial: true })
 */
export function appTextFaults(app: string, language: GivenLanguage): LanguageFaults {
  const { given, ours, partial } = language
  const faults: Record<string, string> = {}
  for (const [key, text] of Object.entries(given)) {
    const problem = appTextFault(key, text, ours)
    if (problem !== undefined) faults[`.${app}.${key}`] = problem
  }
  return { ...gapFault(`.${app}`, missingAppTexts(language), partial), ...faults }
}

/**
 * Keys that a language of pages or mails lacks.
 * @example
 * const keys = missingTexts({}, { 'login.title': 'Log in' }) // login.title
 */
export function missingTexts(given: Catalogue, ours: Catalogue): readonly string[] {
  return Object.keys(ours).filter((key) => !Object.hasOwn(given, key))
}

/**
 * Keys that a language of an app lacks: a text that depends on a count has one for each form of the language.
 * @example
 * const keys = missingAppTexts({ locale: 'nl', given: { 'login.title': 'Inloggen' }, ours: { 'login.title': 'Log in' }, partial: true })
 */
export function missingAppTexts({ locale, given, ours }: GivenLanguage): readonly string[] {
  const forms = new Intl.PluralRules(locale).resolvedOptions().pluralCategories
  const wanted = Object.keys(ours).flatMap((key) =>
    CATEGORY.test(key) ? forms.map((form) => key.replace(CATEGORY, `_${form}`)) : [key],
  )
  return [...new Set(wanted)].filter((key) => !Object.hasOwn(given, key))
}

/**
 * The English text that a key of an app stands for; undefined: there is none.
 * @example
 * const text = englishOf('apps.count_few', { 'apps.count_other': '{n} apps' })
 */
export function englishOf(key: string, ours: Catalogue): string | undefined {
  const other = ours[key.replace(CATEGORY, '_other')]
  return ours[key] ?? (CATEGORY.test(key) ? other : undefined)
}

function appTextFault(key: string, text: string, ours: Catalogue): string | undefined {
  const english = englishOf(key, ours)
  if (english === undefined) return unknownKey(key, Object.keys(ours))
  if (text.trim() === '') return 'must not be empty'
  if (/<[a-z!/]/iu.test(text)) return 'must not hold HTML'
  const [found, expected] = [text, english].map(
    (it) => new Set([...it.matchAll(PLACEHOLDER)].map(([, name]) => `{${name}}`)),
  ) as [Set<string>, Set<string>] // of two texts
  const extra = [...found].filter((name) => !expected.has(name))
  if (extra.length > 0) return `has placeholders that the text does not have: ${extra.join(', ')}`
  // One alone may go without its number: "one file".
  const lacking = [...expected].filter((name) => !found.has(name) && name !== '{count}')
  return lacking.length === 0 ? undefined : `lacks placeholders: ${lacking.join(', ')}`
}

function gapFault(path: string, missing: readonly string[], partial: boolean): LanguageFaults {
  if (partial || missing.length === 0) return {}
  const rest = missing.length - SHOWN_GAPS
  const shown = missing.slice(0, SHOWN_GAPS).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
  return { [path]: `lacks ${shown}; partial: true has them in English` }
}

function unknownKey(key: string, known: readonly string[]): string {
  const near = nearestName(key, known, 3)
  return near === undefined ? 'unknown' : `unknown, did you mean ${near}?`
}
