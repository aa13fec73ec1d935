import { ask } from './ask.js'
import { make, shownName, withTime } from './_kit/dom.js'

/**
 * @typedef {object} DeviceAttributes
 * @property {string} [label]
 * @property {string} created_at
 * @property {string} [last_used]
 */

/**
 * Browsers that skip the second step.
 *
 * @param {import('./main.js').Tools} tools
 * @returns {Promise<Node[]>}
 */
export async function devicesSection(tools) {
  const { api, t } = tools
  const devices = await api.list('/settings/trusted_devices')
  if (devices.length === 0) {
    return [
      make(
        'div',
        { class: 'empty' },
        make('p', { class: 'empty__title' }, t('devices.none')),
        make('p', { class: 'muted' }, t('devices.none.hint')),
      ),
    ]
  }
  return [make('ul', { class: 'cards' }, ...devices.map((device) => deviceCard(device, tools)))]
}

/**
 * @param {import('./_kit/api.js').Resource} device
 * @param {import('./main.js').Tools} tools
 */
function deviceCard(device, tools) {
  const { t, when } = tools
  // The shape of `GET /settings/trusted_devices`.
  const about = /** @type {DeviceAttributes} */ (/** @type {unknown} */ (device.attributes))
  const name = shownName(about.label ?? '') || t('sessions.unknown')
  const used =
    about.last_used === undefined
      ? t('devices.unused')
      : withTime(t, 'devices.used', when(about.last_used))
  const remove = make(
    'button',
    {
      class: 'button',
      type: 'button',
      'aria-label': t('devices.remove.label', { name }),
    },
    t('devices.remove'),
  )
  remove.addEventListener('click', () => void removeDevice(device.id, name, tools))
  return make(
    'li',
    { class: 'item item--plain' },
    make(
      'div',
      { class: 'item__text' },
      make('h2', { class: 'item__name' }, make('bdi', {}, name)),
      make(
        'p',
        { class: 'item__facts' },
        make('span', {}, ...(typeof used === 'string' ? [used] : used)),
        make('span', {}, ...withTime(t, 'devices.created', when(about.created_at))),
      ),
    ),
    remove,
  )
}

/**
 * @param {string} id
 * @param {string} name
 * @param {import('./main.js').Tools} tools
 */
async function removeDevice(id, name, { api, t, done }) {
  const isDone = await ask({
    title: [t('devices.remove.title', { name })],
    text: t('devices.remove.text'),
    confirm: t('devices.remove'),
    busy: t('app.removing'),
    cancel: t('app.cancel'),
    failed: t('app.failed'),
    act: () => api.remove(`/settings/trusted_devices/${encodeURIComponent(id)}`),
  })
  if (isDone) done(t('devices.removed', { name }))
}
