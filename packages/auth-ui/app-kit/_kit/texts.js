import { dateText } from './dates.js'

/** The texts of an app in the language of the instance, and times as people say them. */

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const FALLBACK = 'en'
/** What a language is named by: never a path. */
const TAG = /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/iu
/** Languages that are written from right to left, for browsers that cannot say it. */
const RIGHT_TO_LEFT = new Set(['ar', 'ckb', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi'])
const HAS_RIGHT_TO_LEFT = /[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}]/u
const FIRST_STRONG_ISOLATE = '\u2068'
const POP_ISOLATE = '\u2069'

/** @typedef {(key: string, values?: Record<string, string | number>) => string} Translate */

/**
 * Loads the texts of a language that the app's folder has a file for, and sets the page's language and direction.
 *
 * @param {string} app address of a file beside the app's folder `locales`
 * @param {string} wanted BCP 47 tag
 */
export async function loadTexts(app, wanted) {
  const { locale, texts } = await bestCatalogue(app, wanted.replaceAll('_', '-'))
  const plurals = new Intl.PluralRules(locale)
  // A language that the host added may say itself how it is written.
  const said = texts['@dir']
  const dir = said === 'rtl' || said === 'ltr' ? said : directionOf(locale)
  Object.assign(document.documentElement, { lang: locale, dir })

  const numbers = new Intl.NumberFormat(locale)
  /** @param {string | number} value */
  const shown = (value) => (typeof value === 'number' ? numbers.format(value) : value)
  /** @type {Translate} */
  const t = (key, values = {}) => {
    const count = values['count']
    const form = typeof count === 'number' ? `${key}_${plurals.select(count)}` : key
    const text = texts[form] ?? texts[`${key}_other`] ?? texts[key] ?? key
    return text.replace(/\{(\w+)\}/gu, (_whole, name) => kept(shown(values[name] ?? ''), dir))
  }
  return { locale, t, ...times(locale, t) }
}

/**
 * The language itself, its base language, or English.
 *
 * @param {string} app
 * @param {string} wanted
 * @returns {Promise<{ locale: string, texts: Record<string, string> }>}
 */
async function bestCatalogue(app, wanted) {
  const base = wanted.split('-')[0]?.toLowerCase() ?? ''
  for (const locale of new Set([wanted, base])) {
    if (!TAG.test(locale)) continue
    const response = await fetch(new URL(`locales/${locale}.json`, app))
    if (response.ok) return { locale, texts: await response.json() }
  }
  const response = await fetch(new URL(`locales/${FALLBACK}.json`, app))
  return { locale: FALLBACK, texts: await response.json() }
}

/**
 * Which way a language is written.
 *
 * @param {string} tag
 * @returns {'ltr' | 'rtl'}
 */
function directionOf(tag) {
  const locale = new Intl.Locale(tag)
  /** @type {Intl.Locale & { getTextInfo?: () => { direction?: string } }} */
  const written = locale
  const direction = written.getTextInfo?.().direction
  const isFallback = RIGHT_TO_LEFT.has(locale.language)
  return (direction === undefined ? isFallback : direction === 'rtl') ? 'rtl' : 'ltr'
}

/**
 * Isolates a value of the other direction within a sentence.
 *
 * @param {string} value
 * @param {'ltr' | 'rtl'} dir
 */
function kept(value, dir) {
  if (value === '' || (dir === 'ltr' && !HAS_RIGHT_TO_LEFT.test(value))) return value
  return FIRST_STRONG_ISOLATE + value + POP_ISOLATE
}

/**
 * @param {string} locale
 * @param {Translate} t
 */
function times(locale, t) {
  const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })

  /** @param {Date} time */
  const spoken = (time) => {
    const now = new Date()
    const agoMs = now.getTime() - time.getTime()
    if (Math.abs(agoMs) < 2 * MINUTE_MS) return t('time.now')
    if (Math.abs(agoMs) < HOUR_MS) return relative.format(-Math.round(agoMs / MINUTE_MS), 'minute')
    const days = Math.round((midnight(now) - midnight(time)) / DAY_MS)
    if (Math.abs(days) < 2) return `${relative.format(-days, 'day')}, ${clock.format(time)}`
    return Math.abs(days) < 7
      ? relative.format(-days, 'day')
      : dateText(locale, { dateStyle: 'medium' }, time)
  }
  return {
    /** @param {string} iso */
    when: (iso) => {
      const time = new Date(iso)
      const exact = dateText(locale, { dateStyle: 'full', timeStyle: 'medium' }, time)
      return { iso, text: spoken(time), exact }
    },
  }
}

/** @param {Date} time */
function midnight(time) {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime()
}
