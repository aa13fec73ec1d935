/** The texts of an app in the language of the instance, and times as people say them. */

const LOCALES = ['de', 'en', 'es', 'fr']
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** @typedef {(key: string, values?: Record<string, string | number>) => string} Translate */

/**
 * @param {string} app address of a file beside the app's folder `locales`
 * @param {string} wanted BCP 47 tag
 */
export async function loadTexts(app, wanted) {
  const language = wanted.split(/[-_]/u)[0]?.toLowerCase() ?? ''
  const locale = LOCALES.includes(language) ? language : 'en'
  const response = await fetch(new URL(`locales/${locale}.json`, app))
  /** @type {Record<string, string>} */
  const texts = await response.json()
  const plurals = new Intl.PluralRules(locale)

  /** @type {Translate} */
  const t = (key, values = {}) => {
    const count = values['count']
    const form = typeof count === 'number' ? `${key}_${plurals.select(count)}` : key
    const text = texts[form] ?? texts[`${key}_other`] ?? texts[key] ?? key
    return text.replace(/\{(\w+)\}/gu, (_whole, name) => String(values[name] ?? ''))
  }
  return { locale, t, ...times(locale, t) }
}

/**
 * @param {string} locale
 * @param {Translate} t
 */
function times(locale, t) {
  const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'medium' })
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })

  /** @param {Date} time */
  const spoken = (time) => {
    const now = new Date()
    const agoMs = now.getTime() - time.getTime()
    if (Math.abs(agoMs) < 2 * MINUTE_MS) return t('time.now')
    if (Math.abs(agoMs) < HOUR_MS) return relative.format(-Math.round(agoMs / MINUTE_MS), 'minute')
    const days = Math.round((midnight(now) - midnight(time)) / DAY_MS)
    if (Math.abs(days) < 2) return `${relative.format(-days, 'day')}, ${clock.format(time)}`
    return Math.abs(days) < 7 ? relative.format(-days, 'day') : day.format(time)
  }
  return {
    /** @param {string} iso */
    when: (iso) => {
      const time = new Date(iso)
      return { iso, text: spoken(time), exact: exact.format(time) }
    },
  }
}

/** @param {Date} time */
function midnight(time) {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime()
}
