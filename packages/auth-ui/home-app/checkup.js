import { byId, make, shownName } from './_kit/dom.js'

/**
 * @typedef {object} Finding
 * @property {'ok' | 'advice' | 'urgent'} state
 * @property {string} href of the control in the settings
 * @property {number} [count]
 * @property {string} [name]
 * @property {string} [former] what it was called when it was allowed
 * @property {string} [until]
 */

const SETTINGS = 'settings'

/**
 * The most urgent line of the security check-up, with the way to the control that settles it. Where all is well, or
 * nothing may be read, or there are no settings to lead to, no word is lost about it.
 *
 * @param {import('./main.js').Tools} tools
 */
export async function showCheckup({ api, t, when, apps, addressOf }) {
  if (!apps.some(({ slug }) => slug === SETTINGS)) return
  const found = await api.list('/settings/checkup').catch(() => [])
  const findings = found
    .map(({ id, attributes }) => {
      // The shape of `GET /settings/checkup`.
      const about = /** @type {Finding} */ (/** @type {unknown} */ (attributes))
      return { id, about }
    })
    // A server of tomorrow may find what this page has no words for.
    .filter(({ id }) => t(`checkup.${id}.act`) !== `checkup.${id}.act`)
  const first =
    findings.find(({ about }) => about.state === 'urgent') ??
    findings.find(({ about }) => about.state === 'advice')
  if (first === undefined) return
  const { state, href, count = 1, name = '', former = '', until } = first.about
  const time = until === undefined ? '' : when(until).text
  const line = byId('checkup')
  byId('checkup-title').textContent = t('checkup.title')
  line.classList.add(state === 'urgent' ? 'notice--danger' : 'notice--warning')
  line.replaceChildren(
    make(
      'span',
      {},
      make('span', { class: 'visually-hidden' }, `${t(`checkup.${state}`)} `),
      t(`checkup.${first.id}`, { count, name: shownName(name), former: shownName(former), time }),
    ),
  )
  const way = byId('checkup-open')
  way.textContent = t(`checkup.${first.id}.act`)
  way.setAttribute('href', `${addressOf(SETTINGS)}/${href}`)
  byId('checkup-section').hidden = false
}
