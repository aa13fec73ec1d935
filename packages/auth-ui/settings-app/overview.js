import { checkup } from './checkup.js'
import { nameOfDevice, readDevices } from './devices-data.js'
import { make, makeTime, withName, withTime } from './_kit/dom.js'
import { part } from './states.js'

/** @typedef {import('./main.js').Tools} Tools */

/**
 * Whether all is well, who is logged in now, and what happened last.
 *
 * @param {Tools} tools
 * @returns {Promise<Node[]>}
 */
export async function overviewSection(tools) {
  const { t } = tools
  return Promise.all([
    part(t, () => checkup(tools)),
    part(t, () => loggedIn(tools)),
    ...(tools.parts.has('activity') ? [part(t, () => lastChange(tools))] : []),
  ])
}

/** One sentence: the devices themselves are in their section.  @param {Tools} tools */
async function loggedIn({ api, t, when }) {
  const [devices, last] = await Promise.all([readDevices(api), lastLogin(api)])
  const live = devices.filter(({ about }) => about.sessions.length > 0)
  const [here] = live.filter(({ about }) => about.current)
  const others = live.length - (here === undefined ? 0 : 1)
  return [
    make(
      'section',
      { class: 'box box--wide', 'aria-labelledby': 'logged-in' },
      make('h2', { id: 'logged-in' }, t('overview.loggedIn')),
      make(
        'p',
        {},
        ...(here === undefined
          ? []
          : [...withName(t, 'overview.here', nameOfDevice(here.about, t)), ' ']),
        others === 0 ? t('overview.nowhere') : t('overview.others', { count: others }),
      ),
      ...(last === undefined
        ? []
        : [make('p', { class: 'muted small' }, ...withTime(t, 'overview.last', when(last)))]),
      make(
        'div',
        { class: 'form__buttons' },
        make('a', { class: 'button', href: '#/devices' }, t('overview.devices')),
      ),
    ),
  ]
}

/** @param {Tools['api']} api */
async function lastLogin(api) {
  const [last] = await api.list('/settings/logins?page%5Blimit%5D=1')
  return last === undefined ? undefined : String(last.attributes['created_at'])
}

/**
 * The newest entry of the record of activity.
 *
 * @param {Tools} tools
 * @returns {Promise<readonly Node[]>}
 */
async function lastChange({ api, t, when }) {
  const [last] = await api.list('/settings/activity?page%5Blimit%5D=1')
  if (last === undefined) return []
  const { sentenceOf } = await import('./activity-words.js')
  // The shape of `GET /settings/activity`.
  const entry = /** @type {import('./activity-words.js').ActivityEntry} */ (
    /** @type {unknown} */ (last.attributes)
  )
  return [
    make(
      'section',
      { class: 'box box--wide', 'aria-labelledby': 'last-change' },
      make('h2', { id: 'last-change' }, t('overview.change')),
      make('p', {}, sentenceOf(entry, t)),
      make('p', { class: 'muted small' }, makeTime(when(entry.time))),
      make(
        'div',
        { class: 'form__buttons' },
        make('a', { class: 'button', href: '#/activity' }, t('overview.activity')),
      ),
    ),
  ]
}
