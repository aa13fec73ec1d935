import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import {
  appTextFaults,
  englishOf,
  type LanguageFaults,
  messageFaults,
  missingAppTexts,
  missingTexts,
} from '@svc/platform'
import { appFolders } from '../app-folders.ts'
import { type Catalogue, parseMessage, readCatalogue, readCatalogues } from '../messages.ts'

/** What is wrong with one file of a language. */
export interface FileReport {
  readonly file: string
  /** Keys that it lacks. */
  readonly missing: readonly string[]
  /** Keys with what is wrong with them, extra ones among them. */
  readonly faults: readonly (readonly [key: string, problem: string])[]
}

interface LanguageFile {
  readonly file: string
  readonly ours: Catalogue
  missing(given: Catalogue, locale: string): readonly string[]
  faults(given: Catalogue, locale: string): LanguageFaults
}

/** The English text beside a key. */
const REMARK = '//'

/** Looks at the files of a language; a file that is not there lacks everything. */
export function checkLanguage(folder: string, locale: string): readonly FileReport[] {
  return languageFiles(folder).map((each) => {
    const given = readGiven(join(folder, each.file))
    const faults = Object.entries(each.faults(given, locale)).map(
      ([path, problem]) => [path.replace(/^\.[^.]+\.?/u, ''), problem] as const,
    )
    return { file: each.file, missing: each.missing(given, locale), faults }
  })
}

/**
 * The files of a language with a line for each text, the English one above it; what is translated stays.
 * @returns contents by name
 */
export function skeletonOf(folder: string, locale: string): ReadonlyMap<string, string> {
  return new Map(
    languageFiles(folder).map(({ file, ours, missing }) => {
      const given = readGiven(join(folder, file))
      const keys = [...Object.keys(given), ...missing(given, locale)]
      const places = Object.keys(ours)
      const place = (key: string): number => places.indexOf(key)
      const ordered = keys.toSorted((one, other) => place(one) - place(other))
      const lines = ordered.flatMap((key) => [
        [`${REMARK}${key}`, englishOf(key, ours) ?? ''] as const,
        [key, given[key] ?? ''] as const,
      ])
      return [file, `${JSON.stringify(Object.fromEntries(lines), undefined, 2)}\n`] as const
    }),
  )
}

/** Pages, the two apps, and mails where `@svc/notify` is installed beside the folder. */
function languageFiles(folder: string): readonly LanguageFile[] {
  const mails = findMails(folder)
  return [
    messageFile('pages.json', readCatalogues().get('en') ?? {}),
    appFile('home'),
    appFile('settings'),
    ...(mails === undefined ? [] : [messageFile('mails.json', mails)]),
  ]
}

function messageFile(file: string, ours: Catalogue): LanguageFile {
  return {
    file,
    ours,
    missing: (given) => missingTexts(given, ours),
    faults: (given, locale) =>
      messageFaults({ locale, given, ours, partial: true, parse: parseMessage }),
  }
}

function appFile(app: 'home' | 'settings'): LanguageFile {
  const ours = readCatalogues(`${appFolders[app]}/locales`).get('en') ?? {}
  const language = (given: Catalogue, locale: string) => ({ locale, given, ours, partial: true })
  return {
    file: `${app}.json`,
    ours,
    missing: (given, locale) => missingAppTexts(language(given, locale)),
    faults: (given, locale) => appTextFaults(app, language(given, locale)),
  }
}

function findMails(folder: string): Catalogue | undefined {
  try {
    const load = createRequire(join(folder, 'index.js'))
    return readCatalogue(join(dirname(load.resolve('@svc/notify')), '../locales/en.json'))
  } catch {
    return undefined
  }
}

/** Texts that are there; a remark and a text that is still empty are none. */
function readGiven(path: string): Catalogue {
  if (!existsSync(path)) return {}
  const parsed = JSON.parse(readFileSync(path, 'utf8')) as Catalogue // looked at by the checks
  return Object.fromEntries(
    Object.entries(parsed).filter(([key, text]) => !key.startsWith(REMARK) && text !== ''),
  )
}
