import { readdirSync, readFileSync } from 'node:fs'
import { directionOf, plainMessage } from '@svc/platform'
import type { IntlMessageFormat } from 'intl-messageformat'
import { icuMessages } from './icu-messages.ts'

/** Texts of one language. */
export interface Catalogue {
  /** BCP 47 tag. */
  readonly locale: string
  readonly dir: 'ltr' | 'rtl'
  has(key: string): boolean
  /** @throws TypeError for a key that the language lacks: a fault of ours */
  text(key: string, values?: Readonly<Record<string, string | number>>): string
}

/** A language that mails have not got. */
export interface MailLanguage {
  /** Texts: the keys of `locales/en.json` of this package. */
  readonly messages: Readonly<Record<string, string>>
  /** How it is written. @defaultValue as its tag says */
  readonly dir?: 'ltr' | 'rtl'
  /** Whether it may have gaps, which are filled in English. @defaultValue `false` */
  readonly partial?: boolean
}

/** The catalogue of the best language for a tag: itself, its base language, English. */
export type CatalogueOf = (tag: string) => Catalogue

const FOLDER = new URL('../../locales/', import.meta.url)
const FALLBACK = 'en'

/** Languages that mails are written in: those of the files. */
export const MAIL_LOCALES: readonly string[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -'.json'.length))
  .sort()

/** @param languages those of the host, added to or replacing ours; gaps are English. Each is read when it is first needed */
export function createCatalogues(
  languages: Readonly<Record<string, MailLanguage>> = {},
): CatalogueOf {
  const loaded = new Map<string, Catalogue>()
  const isThere = (locale: string): boolean =>
    Object.hasOwn(languages, locale) || MAIL_LOCALES.includes(locale)
  return function catalogueOf(tag) {
    const base = tag.split(/[-_]/u, 1)[0]?.toLowerCase() ?? ''
    const locale = [tag, base].find(isThere) ?? FALLBACK
    const known = loaded.get(locale)
    if (known !== undefined) return known
    const added = languages[locale]
    const catalogue =
      added === undefined
        ? createCatalogue(locale, readMailTexts(locale))
        : createCatalogue(locale, { ...readMailTexts(FALLBACK), ...added.messages }, added.dir)
    loaded.set(locale, catalogue)
    return catalogue
  }
}

/** Ours alone. */
export const catalogueOf: CatalogueOf = createCatalogues()

/** Our texts of one language. */
export function readMailTexts(locale: string): Readonly<Record<string, string>> {
  const file = new URL(`${locale}.json`, FOLDER)
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string> // our own file
}

function createCatalogue(
  locale: string,
  given: Readonly<Record<string, string>>,
  dir: Catalogue['dir'] = directionOf(locale),
): Catalogue {
  const texts = new Map(Object.entries(given))
  const compiled = new Map<string, Format>()
  const compile = (key: string): Format => {
    const known = compiled.get(key)
    if (known !== undefined) return known
    const source = texts.get(key)
    if (source === undefined) throw new TypeError(`${locale}.json has no text ${key}`)
    const format = formatOf(source, locale)
    compiled.set(key, format)
    return format
  }
  return {
    locale,
    dir,
    has: (key) => texts.has(key),
    text: (key, values = {}) => compile(key)(values),
  }
}

type Format = (values: Readonly<Record<string, string | number>>) => string

function formatOf(source: string, locale: string): Format {
  const plain = plainMessage(source)
  if (plain !== undefined) return (values) => plain(values).join('')
  const whole = icuMessage(source, locale)
  return (values) => String(whole.format(values))
}

/** Compiles an ICU message. @throws when it is invalid */
export function icuMessage(source: string, locale: string): IntlMessageFormat {
  return new (icuMessages().IntlMessageFormat)(source, locale, undefined, { ignoreTag: true })
}
