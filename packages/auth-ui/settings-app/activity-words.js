import { shownName } from './_kit/dom.js'

/**
 * An entry of `GET /settings/activity`.
 *
 * @typedef {object} ActivityEntry
 * @property {number} seq
 * @property {string} time
 * @property {string} event
 * @property {string} group
 * @property {{ kind: string, id?: string, name?: string }} actor
 * @property {'ok' | 'refused'} outcome
 * @property {{ kind: string, id?: string, name?: string }} [target]
 * @property {{ method?: string }} [detail]
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
export function sentenceOf({ event, actor, target, count }, t) {
  const key = `activity.event.${event}`
  const name = shownName(target?.name ?? '')
  const values = { name: `${OPEN}${name}${CLOSE}`, ...(count === undefined ? {} : { count }) }
  const keys = [
    ...(count === undefined ? [] : [`${key}.many`]),
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
 * Who did it, in words.
 *
 * @param {ActivityEntry} entry
 * @param {import('./_kit/texts.js').Translate} t
 */
export function actorOf({ actor }, t) {
  return shownName(actor.name ?? '') || t(`activity.who.${actor.kind}`)
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
