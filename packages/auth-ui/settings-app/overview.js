import { checkup } from './checkup.js'
import { nameOfDevice, readDevices } from './devices.js'
import { make, withName, withTime } from './_kit/dom.js'
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
  return Promise.all([part(t, () => checkup(tools)), part(t, () => loggedIn(tools))])
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
