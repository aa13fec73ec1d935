import { shownName } from './_kit/dom.js'

/**
 * @typedef {object} DeviceAttributes
 * @property {string} name
 * @property {string} [browser]
 * @property {string} [os]
 * @property {readonly { id: string, long_run: boolean, short_run: boolean }[]} sessions
 * @property {boolean} trusted
 * @property {string} last_seen
 * @property {string} [ip]
 * @property {string} [country]
 * @property {boolean} current
 */

/** @typedef {{ id: string, about: DeviceAttributes }} Device */
/** @typedef {import('./main.js').Tools} Tools */

/**
 * The browsers of the owner, this one first, then those seen last.
 *
 * @param {Tools['api']} api
 * @returns {Promise<readonly Device[]>}
 */
export async function readDevices(api) {
  return (await api.list('/settings/devices'))
    .map(({ id, attributes }) => {
      // The shape of `GET /settings/devices`.
      const about = /** @type {DeviceAttributes} */ (/** @type {unknown} */ (attributes))
      return { id, about }
    })
    .sort(byUse)
}

/** @param {Device} one @param {Device} other */
function byUse({ about: one }, { about: other }) {
  if (one.current !== other.current) return one.current ? -1 : 1
  return other.last_seen.localeCompare(one.last_seen)
}

/** @param {DeviceAttributes} about @param {Tools['t']} t */
export function nameOfDevice({ name, browser = '', os = '' }, t) {
  if (browser !== '' && os !== '') return t('sessions.where', { browser, os })
  return shownName(browser || os || name) || t('sessions.unknown')
}
