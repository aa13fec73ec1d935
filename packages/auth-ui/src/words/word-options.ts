import { appTextFaults, type LanguageFaults, messageFaults, textFaults } from '@svc/platform'
import { flag, object, oneOf, type Option, type Problem, record, text } from '@svc/platform/options'
import { appFolders } from '../app-folders.ts'
import { type Catalogue, parseMessage, readCatalogues } from '../messages.ts'

/** The apps of this package that have words. */
export type AppName = 'home' | 'settings'

/**
 * Words of the host in the place of single ones of the pages, by language and key: `{ en: { 'login.title': 'Hello' } }`.
 * The keys are those of `locales/en.json` of this package. A text has the placeholders of the one that it replaces.
 * @example
 * const texts: Texts = { en: { 'login.title': 'Hello' } }
 * createAuthUi({ oauth, mailer, texts })
 */
export type Texts = Readonly<Record<string, Readonly<Record<string, string>>>>

/** A language that the pages and the apps of this package have not got. */
export interface Language {
  /** Texts of the pages: the keys of `locales/en.json`. */
  readonly messages: Readonly<Record<string, string>>
  /** Texts of the start page: the keys of `home-app/locales/en.json`. */
  readonly home?: Readonly<Record<string, string>>
  /** Texts of the settings: the keys of `settings-app/locales/en.json`. */
  readonly settings?: Readonly<Record<string, string>>
  /** How it is written. @defaultValue as its tag says */
  readonly dir?: 'ltr' | 'rtl'
  /** Whether it may have gaps, which are filled in English. @defaultValue `false` */
  readonly partial?: boolean
}

/**
 * Languages of the host by BCP 47 tag. One of ours by its tag is replaced.
 * @example
 * const locales: Languages = { nl: { messages: { 'login.title': 'Inloggen' }, partial: true } }
 * createAuthUi({ oauth, mailer, locales })
 */
export type Languages = Readonly<Record<string, Language>>

/** What is told of words together. */
interface WordOptions {
  readonly texts: Texts
  readonly locales: Languages
  readonly builtInApps: Readonly<Partial<Record<AppName, unknown>>>
}

const TAG = /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/u
const LONGEST = 4000
/** The English text beside a key in a file that `svc-locale` made. */
const REMARK = '//'

/** The option `texts`. */
export function textsOption(): Option<Texts> {
  return record(catalogue(), isTag)
}

/** The option `locales`. */
export function languagesOption(): Option<Languages> {
  const language = object({
    messages: catalogue(),
    home: catalogue().optional(),
    settings: catalogue().optional(),
    dir: oneOf(['ltr', 'rtl']).optional('as its tag says'),
    partial: flag().optional('`false`'),
  })
  return record(language, isTag)
}

/** What is wrong with the words of the host, by their paths. Our own are read only where there are some. */
export function wordsProblem({ texts, locales, builtInApps }: WordOptions): Problem {
  if (Object.keys({ ...texts, ...locales }).length === 0) return undefined
  const pages = readCatalogues()
  const english = pages.get('en') ?? {}
  const faults: Record<string, string> = {}
  const note = (path: string, found: LanguageFaults): void => {
    for (const [key, problem] of Object.entries(found)) faults[path + key] = problem
  }
  for (const [locale, language] of Object.entries(locales)) {
    const { messages, partial = false } = language
    note(
      `locales.${locale}`,
      messageFaults({ locale, given: messages, ours: english, partial, parse: parseMessage }),
    )
    for (const app of ['home', 'settings'] as const) {
      // Whose app is not ours brings its words itself.
      if (builtInApps[app] !== undefined && builtInApps[app] !== true) continue
      const ours = readCatalogues(`${appFolders[app]}/locales`).get('en') ?? {}
      note(
        `locales.${locale}`,
        appTextFaults(app, { locale, given: language[app] ?? {}, ours, partial }),
      )
    }
  }
  for (const [locale, given] of Object.entries(texts)) {
    const isThere = pages.has(locale) || Object.hasOwn(locales, locale)
    note(
      `texts.${locale}`,
      isThere
        ? textFaults({ locale, given, ours: english, parse: parseMessage })
        : { '': 'is no language of the pages; options.locales adds one' },
    )
  }
  return faults
}

function catalogue(): Option<Catalogue> {
  return record(text(`a text of at most ${LONGEST} characters`, { maxLength: LONGEST })).as(
    withoutRemarks,
  )
}

function withoutRemarks(given: Catalogue): Catalogue {
  return Object.fromEntries(Object.entries(given).filter(([key]) => !key.startsWith(REMARK)))
}

function isTag(tag: string): boolean {
  return TAG.test(tag)
}
