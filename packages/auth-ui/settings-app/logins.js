import { make, makeTime } from './_kit/dom.js'
import { whileBusy } from './fields.js'
import { wordsFor } from './words.js'

/**
 * @typedef {object} Login
 * @property {string} created_at
 * @property {string} method
 * @property {string} ip
 * @property {string} os
 * @property {string} browser
 * @property {string} [country]
 * @property {string} [city]
 * @property {string} [session]
 * @property {boolean} current
 */
/** @typedef {import('./main.js').Tools} Tools */

const METHODS = new Set([
  'password',
  '2FA',
  'passkey',
  'magic_link',
  'registration',
  'passphrase_change',
])

/**
 * The history of log-ins, newest first, a page at a time.
 *
 * @param {Tools} tools
 */
export async function loginsList(tools) {
  const { api, t, warn } = tools
  const list = make('ul', { class: 'keys logins' })
  const more = make('button', { class: 'button', type: 'button' }, t('logins.more'))
  let next = '/settings/logins?page%5Blimit%5D=10'
  const load = async () => {
    const answer =
      /** @type {{ data: readonly { attributes: Login }[], links: { next?: string } }} */ (
        await api.call('GET', next)
      )
    list.append(...answer.data.map(({ attributes }) => loginRow(attributes, tools)))
    next = answer.links.next ?? ''
    more.hidden = next === ''
  }
  more.addEventListener('click', () => {
    whileBusy(more, t('app.oneMoment'), load).catch((error) => warn(wordsFor(error, t)))
  })
  await load()
  return make(
    'div',
    { id: 'logins' },
    make('p', { class: 'muted' }, t(list.childElementCount === 0 ? 'logins.none' : 'logins.lead')),
    list,
    make('div', { class: 'form__buttons' }, more),
  )
}

/** @param {Login} login @param {Tools} tools */
function loginRow(
  { created_at: at, method, ip, os, browser, country, city, session, current },
  tools,
) {
  const { t, when } = tools
  const name = browser !== '' && os !== '' ? t('logins.on', { browser, os }) : browser + os
  const place = [city, country].filter((each) => each !== undefined && each !== '').join(', ')
  const words = [
    make('span', {}, makeTime(when(at))),
    ...(METHODS.has(method) ? [make('span', {}, t(`logins.method.${method}`))] : []),
    ...(place === '' ? [] : [make('span', {}, make('bdi', {}, place))]),
    make('span', {}, t('logins.from'), ' ', make('bdi', { dir: 'ltr' }, ip)),
  ]
  const state = current ? t('logins.current') : session === undefined ? '' : t('logins.live')
  return make(
    'li',
    { class: 'key' },
    make(
      'div',
      {},
      make(
        'h3',
        {},
        make('bdi', {}, name === '' ? t('logins.unknown') : name),
        ...(state === '' ? [] : [' ', make('span', { class: 'badge' }, state)]),
      ),
      make('p', { class: 'item__facts' }, ...words),
    ),
  )
}
