import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { directionOf, type ParseMessage, plainMessage } from '@svc/platform'
import type { IntlMessageFormat } from 'intl-messageformat'
import { icuMessages } from './words/icu-messages.ts'

/** Texts of one language by key, in ICU message syntax. */
export type Catalogue = Readonly<Record<string, string>>

/** What a text may be given. A text from outside (a name, a host) goes through {@link isolated}. */
export type MessageValue = string | number | Isolated
export type MessageValues = Readonly<Record<string, MessageValue>>

/** A text from outside: kept apart from the sentence around it, whatever its writing direction. */
export interface Isolated {
  readonly isolated: string
  /** What is read from left to right in every language: an address, a host, a code. */
  readonly dir?: 'ltr'
}

/** One part of a formatted text: words of the catalogue, or a text from outside. */
export type MessagePart = string | Isolated

/** The texts of one language. */
export interface Messages {
  /** BCP 47 tag, for `lang`. */
  readonly locale: string
  readonly dir: 'ltr' | 'rtl'
  /** @throws TypeError when the key is unknown: a fault of ours, not of the request */
  parts(key: string, values?: MessageValues): readonly MessagePart[]
  /** The text as plain words, for attributes and titles. @throws TypeError as `parts` */
  text(key: string, values?: MessageValues): string
  has(key: string): boolean
}

/** A language that the host adds. */
export interface AddedLanguage {
  readonly messages: Catalogue
  /** How it is written. @defaultValue as its tag says */
  readonly dir?: 'ltr' | 'rtl'
}

/** The languages there are. */
export interface MessageSource {
  /** The best language for a BCP 47 tag: itself, its base language, English. */
  forLocale(tag: string): Messages
  readonly locales: readonly string[]
}

export interface MessageSourceOptions {
  /** Folder of `<locale>.json`. @defaultValue the package's `locales` */
  readonly folder?: string
  /** Texts in the place of single ones, by language and key. */
  readonly texts?: Readonly<Record<string, Catalogue>>
  /** Languages beside those of the folder, or in the place of them. What one lacks is said in English. */
  readonly languages?: Readonly<Record<string, AddedLanguage>>
  /**
   * Adds `en-XA`: English with accents, 40 % longer, to see what does not fit or is not translated; and `ar-XB`: the
   * same from right to left.
   */
  readonly pseudo?: boolean
}

const FALLBACK = 'en'
/** Of the package's catalogues. */
const FOLDER = fileURLToPath(new URL('../locales', import.meta.url))
const PSEUDO = 'en-XA'
const PSEUDO_RIGHT_TO_LEFT = 'ar-XB'
const DIRECTION_CONTROLS = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu
const HAS_RIGHT_TO_LEFT = /[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}]/u
const LEFT_TO_RIGHT_ISOLATE = '\u2066'
const FIRST_STRONG_ISOLATE = '\u2068'
const POP_ISOLATE = '\u2069'
const OVERRIDE = '\u202e'
const POP_OVERRIDE = '\u202c'

/**
 * Marks a text that comes from outside. Controls of writing direction are removed: they have no place in a name and
 * let one name look like another.
 */
export function isolated(text: string): Isolated {
  return { isolated: text.replace(DIRECTION_CONTROLS, '') }
}

/** Marks an address, a host or a code, which no writing direction turns round. */
export function leftToRight(text: string): Isolated {
  return { ...isolated(text), dir: 'ltr' }
}

/** Reads each catalogue once, when its language is first asked for a text. */
export function createMessages(options: MessageSourceOptions = {}): MessageSource {
  const { texts = {}, languages = {}, folder = FOLDER } = options
  const sources = new Map<string, Messages>()
  for (const locale of localesIn(folder)) {
    if (Object.hasOwn(languages, locale)) continue
    sources.set(
      locale,
      messagesOf(locale, () => ({ ...readLocale(folder, locale), ...texts[locale] })),
    )
  }
  const english = (): Catalogue => ({ ...readLocale(folder, FALLBACK), ...texts[FALLBACK] })
  for (const [locale, { messages, dir }] of Object.entries(languages)) {
    const whole = (): Catalogue => ({ ...english(), ...messages, ...texts[locale] })
    sources.set(locale, messagesOf(locale, whole, dir))
  }
  const fallback = sources.get(FALLBACK)
  if (fallback === undefined) throw new TypeError(`no ${FALLBACK}.json in the catalogue folder`)
  if (options.pseudo === true) {
    sources.set(PSEUDO, pseudo(fallback))
    sources.set(PSEUDO_RIGHT_TO_LEFT, rightToLeft(pseudo(fallback)))
  }
  return {
    locales: [...sources.keys()],
    forLocale: (tag) => sources.get(tag) ?? sources.get(languageOf(tag)) ?? fallback,
  }
}

/** The catalogues of a folder by language. @defaultValue those of the package @throws TypeError as {@link readCatalogue} */
export function readCatalogues(folder: string = FOLDER): ReadonlyMap<string, Catalogue> {
  return new Map(localesIn(folder).map((locale) => [locale, readLocale(folder, locale)] as const))
}

function localesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .toSorted()
}

function readLocale(folder: string, locale: string): Catalogue {
  return readCatalogue(`${folder}/${locale}.json`)
}

/** Parses an ICU message. @throws when it is none */
export const parseMessage: ParseMessage = (text, locale) =>
  // What the faults of texts read of it; the library's own type is a wider union.
  icuMessage(text, locale).getAst() as unknown as ReturnType<ParseMessage>

/** Reads one catalogue file. @throws TypeError when it is not an object of texts */
export function readCatalogue(path: string): Catalogue {
  const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'))
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new TypeError(`${path} is not an object`)
  for (const [key, value] of Object.entries(parsed))
    if (typeof value !== 'string') throw new TypeError(`${path}: ${key} is not a text`)
  // Checked above: every member is a text.
  return parsed as Catalogue
}

function messagesOf(
  locale: string,
  read: () => Catalogue,
  dir: Messages['dir'] = directionOf(locale),
): Messages {
  let texts: ReadonlyMap<string, string> | undefined
  const all = (): ReadonlyMap<string, string> => (texts ??= new Map(Object.entries(read())))
  const compiled = new Map<string, Format>()
  const compile = (key: string): Format => {
    const known = compiled.get(key)
    if (known !== undefined) return known
    const source = all().get(key)
    if (source === undefined) throw new TypeError(`no text for ${key} in ${locale}`)
    const format = plainMessage(source) ?? wholeMessage(source, locale)
    compiled.set(key, format)
    return format
  }
  const format = (key: string, values: MessageValues = {}): readonly MessagePart[] =>
    compile(key)(values)
  // What is given nothing always says the same.
  const parts = remembered(format)
  return {
    locale,
    dir,
    parts,
    text: remembered((key, values) => plain(parts(key, values), dir)),
    has: (key) => all().has(key),
  }
}

type Format = (values: MessageValues) => readonly MessagePart[]

function icuMessage(source: string, locale: string): IntlMessageFormat {
  return new (icuMessages().IntlMessageFormat)(source, locale, undefined, { ignoreTag: true })
}

/** A message of whatever ICU knows. */
function wholeMessage(source: string, locale: string): Format {
  const message = icuMessage(source, locale)
  return (values) =>
    message
      .formatToParts<Isolated>({ ...values })
      .map(({ value }) => (isIsolated(value) ? value : String(value)))
}

/** Keeps what a key without values is. */
export function remembered<Result>(
  format: (key: string, values?: MessageValues) => Result,
): (key: string, values?: MessageValues) => Result {
  const known = new Map<string, Result>()
  return (key, values) => {
    if (values !== undefined) return format(key, values)
    let result = known.get(key)
    if (result === undefined) {
      result = format(key)
      known.set(key, result)
    }
    return result
  }
}

function pseudo(source: Messages): Messages {
  const parts = (key: string, values?: MessageValues): readonly MessagePart[] =>
    source.parts(key, values).map((part) => (isIsolated(part) ? part : pseudoText(part)))
  return {
    ...source,
    locale: PSEUDO,
    parts,
    text: (key, values) => plain(parts(key, values), source.dir),
  }
}

/** The words are shown from right to left, texts from outside are left as they are. */
function rightToLeft(source: Messages): Messages {
  const parts = (key: string, values?: MessageValues): readonly MessagePart[] =>
    source.parts(key, values).map((part) => (isIsolated(part) ? part : turnedText(part)))
  return {
    ...source,
    locale: PSEUDO_RIGHT_TO_LEFT,
    dir: 'rtl',
    parts,
    text: (key, values) => plain(parts(key, values), 'rtl'),
  }
}

/** As words alone, for attributes and titles: what is written the other way round keeps to itself. */
function plain(parts: readonly MessagePart[], dir: Messages['dir']): string {
  const written = (part: MessagePart): string => {
    if (!isIsolated(part)) return part
    if (dir === 'ltr' && !HAS_RIGHT_TO_LEFT.test(part.isolated)) return part.isolated
    return (
      (part.dir === 'ltr' ? LEFT_TO_RIGHT_ISOLATE : FIRST_STRONG_ISOLATE) +
      part.isolated +
      POP_ISOLATE
    )
  }
  return parts.map(written).join('')
}

/** Whether a value is a text from outside. */
export function isIsolated(value: unknown): value is Isolated {
  return typeof value === 'object' && value !== null && 'isolated' in value
}

function languageOf(tag: string): string {
  const end = tag.search(/[-_]/u)
  return (end === -1 ? tag : tag.slice(0, end)).toLowerCase()
}

const ACCENTED: ReadonlyMap<string, string> = new Map(
  [...'aceinouyACEINOUY'].map((letter, at) => [letter, [...'áçéíñóúýÁÇÉÍÑÓÚÝ'][at] ?? letter]),
)
const GROWTH = 0.4

/** The words of a text as they stand in a language that is written from right to left. */
export function turnedText(text: string): string {
  return text === '' ? text : OVERRIDE + text + POP_OVERRIDE
}

/** The words of a text with accents, two fifths longer and in brackets: what is cut off, or not translated, shows. */
export function pseudoText(text: string): string {
  const words = text.trim()
  if (words === '') return text
  const accented = [...text].map((letter) => ACCENTED.get(letter) ?? letter).join('')
  const start = accented.length - accented.trimStart().length
  const end = accented.trimEnd().length
  const padding = '~'.repeat(Math.ceil(words.length * GROWTH))
  return `${accented.slice(0, start)}[${accented.slice(start, end)} ${padding}]${accented.slice(end)}`
}
