import { readdirSync, readFileSync } from 'node:fs'
import { directionOf } from '@svc/platform'
import { IntlMessageFormat } from 'intl-messageformat'

/** Texts of one language. */
export interface Catalogue {
  /** BCP 47 tag. */
  readonly locale: string
  readonly dir: 'ltr' | 'rtl'
  has(key: string): boolean
  /** @throws TypeError for a key that the language lacks: a fault of ours */
  text(key: string, values?: Readonly<Record<string, string | number>>): string
}

const FOLDER = new URL('../../locales/', import.meta.url)

/** Languages that mails are written in: those of the files. */
export const MAIL_LOCALES: readonly string[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -'.json'.length))
  .sort()

const loaded = new Map<string, Catalogue>()

/** The catalogue of the best language for a tag: itself, its base language, English. Read when it is first needed. */
export function catalogueOf(tag: string): Catalogue {
  const base = tag.split('-', 1)[0]?.toLowerCase() ?? ''
  const locale = [tag, base].find((wanted) => MAIL_LOCALES.includes(wanted)) ?? 'en'
  const catalogue = loaded.get(locale) ?? loadCatalogue(locale)
  loaded.set(locale, catalogue)
  return catalogue
}

function loadCatalogue(locale: string): Catalogue {
  const file = new URL(`${locale}.json`, FOLDER)
  const texts = new Map<string, string>(
    Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>), // our own file
  )
  return {
    locale,
    dir: directionOf(locale),
    has: (key) => texts.has(key),
    text(key, values = {}) {
      const source = texts.get(key)
      if (source === undefined) throw new TypeError(`${locale}.json has no text ${key}`)
      return String(
        new IntlMessageFormat(source, locale, undefined, { ignoreTag: true }).format(values),
      )
    },
  }
}
