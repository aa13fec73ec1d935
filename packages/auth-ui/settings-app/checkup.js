import { make, shownName } from './_kit/dom.js'
import { icon } from './icons.js'

/** @typedef {import('./main.js').Tools} Tools */
/**
 * @typedef {object} Finding
 * @property {'ok' | 'advice' | 'urgent'} state
 * @property {string} href
 * @property {number} [count]
 * @property {string} [name]
 * @property {string} [former] what it was called when it was allowed
 * @property {string} [until]
 */

/** More at once would be read by nobody. */
const MOST = 5

/**
 * What the owner should look at, most important first; or that all is well.
 *
 * @param {Tools} tools
 * @returns {Promise<Node[]>}
 */
export async function checkup({ api, t, when }) {
  const findings = (await api.list('/settings/checkup'))
    .map(({ id, attributes }) => {
      // The shape of `GET /settings/checkup`.
      const about = /** @type {Finding} */ (/** @type {unknown} */ (attributes))
      return { id, about }
    })
    .filter(({ id, about }) => about.state !== 'ok' && t(`checkup.${id}`) !== `checkup.${id}`)
  const title = make('h2', { id: 'checkup' }, t('checkup.title'))
  if (findings.length === 0) {
    return [
      make(
        'section',
        { class: 'box box--wide', 'aria-labelledby': 'checkup' },
        title,
        make('p', { class: 'notice notice--success' }, icon('ok'), t('checkup.good')),
      ),
    ]
  }
  const rows = findings.slice(0, MOST).map(({ id, about }) => {
    const { state, href, count = 1, name = '', former = '', until } = about
    const time = until === undefined ? '' : when(until).text
    const values = { count, name: shownName(name), former: shownName(former), time }
    return make(
      'li',
      { class: `finding finding--${state}`, 'data-check': id },
      icon(state),
      make(
        'p',
        {},
        make('span', { class: 'visually-hidden' }, `${t(`checkup.${state}`)} `),
        t(`checkup.${id}`, values),
      ),
      make('a', { class: 'button', href }, t(`checkup.${id}.act`)),
    )
  })
  return [
    make(
      'section',
      { class: 'box box--wide', 'aria-labelledby': 'checkup' },
      title,
      make('ul', { class: 'findings' }, ...rows),
    ),
  ]
}
