import { readFileSync } from 'node:fs'

/** A text as the owner reads it. */
export type TourText = (key: string, values?: Readonly<Record<string, string | number>>) => string

/** The catalogues of everything a tour passes. */
export interface TourTexts {
  readonly ui: TourText
  readonly settings: TourText
  readonly home: TourText
  readonly safe: TourText
}

/** @throws Error on the first use of a key that a catalogue lacks */
export function tourTexts(locale: string): TourTexts {
  return {
    ui: tourText('packages/auth-ui', locale),
    settings: tourText('packages/auth-ui/settings-app', locale),
    home: tourText('examples/host/apps/home', locale),
    safe: tourText('examples/host/apps/safe', locale),
  }
}

/** The texts of one folder of the repository. @throws Error on the first use of a key that its catalogue lacks */
export function tourText(folder: string, locale: string): TourText {
  const file = new URL(`../../../../${folder}/locales/${locale}.json`, import.meta.url)
  const texts = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  return (key, values = {}) => {
    const count = values['count']
    const form = count === undefined ? key : `${key}_${count === 1 ? 'one' : 'other'}`
    const text = texts[form]
    if (text === undefined) throw new Error(`no text ${form} in ${folder}`)
    return text.replace(/\{(\w+)\}/g, (_whole, name: string) => String(values[name] ?? ''))
  }
}
