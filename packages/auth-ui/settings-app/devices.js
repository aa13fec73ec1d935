import { ask } from './ask.js'
import { nameOfDevice, readDevices } from './devices-data.js'
import { make, withName, withTime } from './_kit/dom.js'
import { icon } from './icons.js'

/** @typedef {import('./devices-data.js').Device} Device */
/** @typedef {import('./main.js').Tools} Tools */

const PHONES = new Set(['Android', 'iOS'])

/**
 * Each browser once: whether it is logged in, and whether it is asked for the second step.
 *
 * @param {Tools} tools
 * @returns {Promise<Node[]>}
 */
export async function devicesSection(tools) {
  const devices = await readDevices(tools.api)
  const others = devices.filter(({ about }) => !about.current && about.sessions.length > 0).length
  const cards = devices.map((device) => deviceCard(device, tools))
  return [
    make('ul', { class: 'cards' }, ...cards),
    ...(others === 0 ? [] : [othersButton(others, tools)]),
  ]
}

/** @param {Device} device @param {Tools} tools */
function deviceCard(device, tools) {
  const { id, about } = device
  const { t, when } = tools
  const name = nameOfDevice(about, t)
  const isLoggedIn = about.sessions.length > 0
  const chips = [
    ...(about.current ? [t('sessions.current')] : []),
    ...(isLoggedIn ? [t('devices.loggedIn')] : []),
    ...(about.trusted ? [t('devices.skips')] : []),
  ].map((text) => make('li', { class: 'badge' }, text))
  const seen = about.current
    ? [t('sessions.now')]
    : withTime(t, 'sessions.seen', when(about.last_seen))
  const facts = [
    make('span', {}, ...seen),
    ...((about.country ?? '') === ''
      ? []
      : [make('span', {}, make('bdi', {}, about.country ?? ''))]),
    ...((about.ip ?? '') === ''
      ? []
      : [make('span', {}, ...withName(t, 'access.from', about.ip ?? ''))]),
    ...(about.sessions.some(({ long_run: isLong }) => isLong)
      ? [make('span', {}, t('sessions.long'))]
      : []),
  ]
  return make(
    'li',
    { class: 'item', 'data-part': id },
    make(
      'span',
      { class: 'tile tile--device' },
      icon(PHONES.has(about.os ?? '') ? 'phone' : 'computer'),
    ),
    make(
      'div',
      { class: 'item__text' },
      make('h2', { class: 'item__name' }, make('bdi', {}, name)),
      ...(chips.length === 0 ? [] : [make('ul', { class: 'chips' }, ...chips)]),
      make('p', { class: 'item__facts' }, ...facts),
    ),
    make('div', { class: 'item__buttons' }, ...buttonsOf(device, name, tools)),
  )
}

/** @param {Device} device @param {string} name @param {Tools} tools */
function buttonsOf({ id, about }, name, tools) {
  const { api } = tools
  const forget = () => api.remove(`/settings/devices/${encodeURIComponent(id)}`)
  const askAgain = endButton('devices.remove', name, tools, async () => {
    const trusted = await api.list('/settings/trusted_devices')
    for (const { id: each, attributes } of trusted) {
      if ((attributes['device'] ?? each) === id) {
        await api.remove(`/settings/trusted_devices/${encodeURIComponent(each)}`)
      }
    }
  })
  // This browser logs out at the top of the page.
  if (about.current) return about.trusted ? [askAgain] : []
  const logOut = endButton('sessions.end', name, tools, async () => {
    for (const { id: each } of about.sessions) {
      await api.remove(`/settings/sessions/${encodeURIComponent(each)}`)
    }
  })
  return [
    ...(about.sessions.length === 0 ? [] : [logOut]),
    endButton('devices.forget', name, tools, forget),
  ]
}

/**
 * @param {'sessions.end' | 'devices.forget' | 'devices.remove'} words
 * @param {string} name
 * @param {Tools} tools
 * @param {() => Promise<void>} act
 */
function endButton(words, name, { t, done }, act) {
  const button = make(
    'button',
    { class: 'button', type: 'button', 'aria-label': t(`${words}.label`, { name }) },
    t(words),
  )
  button.addEventListener('click', async () => {
    const isDone = await ask({
      title: withName(t, `${words}.title`, name),
      text: t(`${words}.text`),
      confirm: t(words),
      busy: t('app.oneMoment'),
      cancel: t('app.cancel'),
      failed: t('app.failed'),
      act,
    })
    if (isDone) done(t(`${words}.done`, { name }))
  })
  return button
}

/** @param {number} count @param {Tools} tools */
function othersButton(count, { api, t, done }) {
  const button = make(
    'button',
    { class: 'button button--danger-quiet', type: 'button' },
    t('sessions.others', { count }),
  )
  button.addEventListener('click', async () => {
    const isDone = await ask({
      title: [t('sessions.others.title', { count })],
      text: t('sessions.others.text'),
      confirm: t('sessions.others', { count }),
      busy: t('sessions.end.busy'),
      cancel: t('app.cancel'),
      failed: t('app.failed'),
      act: () => api.remove('/auth/login/others'),
    })
    if (isDone) done(t('sessions.others.done'))
  })
  return make('p', { class: 'below' }, button)
}
