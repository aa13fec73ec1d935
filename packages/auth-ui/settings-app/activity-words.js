import { dateText } from './_kit/dates.js'
import { shownName } from './_kit/dom.js'

/** @typedef {{ what: 'reads' | 'changes', kind?: string, count: number }} Use */

/**
 * An entry of `GET /settings/activity`.
 *
 * @typedef {object} ActivityEntry
 * @property {number} seq
 * @property {string} time
 * @property {string} event
 * @property {string} group
 * @property {{ kind: string, id?: string, name?: string, formerName?: string }} actor
 * @property {'ok' | 'refused'} outcome
 * @property {{ kind: string, id?: string, name?: string, formerName?: string }} [target]
 * @property {{ method?: string, day?: string, refreshes?: number, credentials?: number }} [detail]
 * @property {readonly Use[]} [uses] what a client read and changed in a day
 * @property {readonly string[]} [rights] what was allowed, in words
 * @property {number} [count]
 * @property {number} [until]
 * @property {string} [ip]
 * @property {string} [country]
 * @property {string} [browser]
 * @property {string} [os]
 * @property {string} hash
 */

/** They keep the direction of a name apart from that of the sentence around it. */
const [OPEN, CLOSE] = ['\u2068', '\u2069']

/**
 * What happened, in a sentence: of the keys that have words the one that says most.
 *
 * @param {ActivityEntry} entry
 * @param {import('./_kit/texts.js').Translate} t
 */
export function sentenceOf(entry, t) {
  const { event, actor, target, until } = entry
  const count = countOf(entry)
  const key = `activity.event.${event}`
  const name = nameOf(target?.name === undefined ? actor : target, t)
  const values = {
    name: `${OPEN}${name}${CLOSE}`,
    day: dayOf(entry),
    ...(until === undefined ? {} : { time: longDate(until) }),
    ...(count === undefined ? {} : { count }),
  }
  const keys = [
    ...(until === undefined
      ? []
      : [...(name === '' ? [] : [`${key}.until.named`]), `${key}.until`]),
    ...(count === undefined ? [] : [`${key}.many`]),
    ...(count === 0 ? [`${key}.idle.named`] : []),
    ...(name === '' ? [] : [`${key}.${actor.kind}.named`, `${key}.named`]),
    key,
  ]
  for (const one of keys) {
    const words = t(one, values)
    if (words !== one) return words
  }
  return t('activity.event.other')
}

/**
 * A name; of an app that renamed itself with the one that it was allowed by.
 *
 * @param {{ name?: string, formerName?: string }} named
 * @param {import('./_kit/texts.js').Translate} t
 */
function nameOf({ name = '', formerName = '' }, t) {
  if (formerName === '') return shownName(name)
  const [now, former] = [name, formerName].map((each) => `${OPEN}${shownName(each)}${CLOSE}`)
  return t('activity.renamed', { name: now ?? '', former: former ?? '' })
}

/** How often it happened: of a day's counts their sum.  @param {ActivityEntry} entry */
function countOf({ event, count, uses = [], detail = {} }) {
  if (event === 'client.used') return uses.reduce((sum, use) => sum + use.count, 0)
  if (event === 'account.used') return (detail.refreshes ?? 0) + (detail.credentials ?? 0)
  return count
}

/** The day that counts are of, in words.  @param {ActivityEntry} entry */
function dayOf({ detail }) {
  const day = detail?.day
  if (day === undefined) return ''
  return longDate(`${day}T00:00Z`, { timeZone: 'UTC' })
}

/**
 * A day in words.
 *
 * @param {string | number} at ISO 8601, or milliseconds since the epoch
 * @param {Intl.DateTimeFormatOptions} [options]
 */
export function longDate(at, options = {}) {
  const { lang } = document.documentElement
  return dateText(lang, { dateStyle: 'long', ...options }, new Date(at))
}

/**
 * What was used, and how often; empty where nothing was counted.
 *
 * @param {ActivityEntry} entry
 * @param {import('./_kit/texts.js').Translate} t
 * @returns {readonly (readonly [name: string, text: string])[]}
 */
export function usesOf({ uses = [], detail = {} }, t) {
  const kinds = /** @type {const} */ (['reads', 'changes']).map((what) => {
    const found = uses.filter((use) => use.what === what)
    const words = found.map(({ kind = t('activity.use.other'), count }) =>
      t('activity.use', { name: kind, count }),
    )
    return /** @type {const} */ ([what, words.join('; ')])
  })
  const times = /** @type {const} */ (['refreshes', 'credentials']).map((what) => {
    const count = detail[what]
    const words = count === undefined ? '' : t('activity.use.times', { count })
    return /** @type {const} */ ([what, words])
  })
  return [...kinds, ...times]
}

/**
 * Who did it, in words.
 *
 * @param {ActivityEntry} entry
 * @param {import('./_kit/texts.js').Translate} t
 */
export function actorOf({ actor }, t) {
  return nameOf(actor, t) || t(`activity.who.${actor.kind}`)
}

/**
 * The browser and system that the request came from.
 *
 * @param {ActivityEntry} entry
 * @param {import('./_kit/texts.js').Translate} t
 */
export function deviceOf({ browser = '', os = '' }, t) {
  if (browser !== '' && os !== '') return t('sessions.where', { browser, os })
  return browser || os
}

/** The first characters of a hash, in groups of four, to compare.  @param {string} hash */
export function markOf(hash) {
  return (hash.slice(0, 16).match(/.{4}/gu) ?? []).join(' ')
}
