/** Making and finding elements; texts go in as text, never as markup. */

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id)
  if (found === null) throw new TypeError(`no #${id} on this page`)
  return found
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(name, attributes, ...children) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.append(...children)
  return element
}

/**
 * A domain that breaks before its dots, and nowhere else while it can.
 *
 * @param {string} domain
 * @returns {(Node | string)[]}
 */
export function domainParts(domain) {
  return domain
    .split('.')
    .flatMap((label, at) => (at === 0 ? label : [make('wbr', {}), `.${label}`]))
}

/**
 * A sentence with an isolated name.
 *
 * @param {import('./texts.js').Translate} t
 * @param {string} key
 * @param {string} name
 */
export function withName(t, key, name) {
  const mark = '\uE000'
  const [before = '', after = ''] = t(key, { name: mark }).split(mark)
  return [before, make('bdi', {}, name), after]
}

/**
 * @param {{ iso: string, text: string, exact: string }} when
 */
export function makeTime({ iso, text, exact }) {
  return make('time', { datetime: iso, title: exact }, text)
}

/**
 * @param {import('./texts.js').Translate} t
 * @param {string} key
 * @param {{ iso: string, text: string, exact: string }} when
 */
export function withTime(t, key, when) {
  const mark = '\uE000'
  const [before = '', after = ''] = t(key, { time: mark }).split(mark)
  return [before, makeTime(when), after]
}

/** Direction controls let one name look like another. */
const DIRECTION_CONTROLS = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu

/** @param {string} name chosen by others */
export function shownName(name) {
  return name.replace(DIRECTION_CONTROLS, '')
}

/** @param {string} name */
export function initials(name) {
  const words = name.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []
  const letters = words.slice(0, 2).map((word) => [...word][0] ?? '')
  return letters.join('').toLocaleUpperCase() || '·'
}

/** 1 to 6: the same name has the same colour, here as on the page that asked.  @param {string} name */
export function colourOf(name) {
  let sum = 0
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 997
  return (sum % 6) + 1
}
