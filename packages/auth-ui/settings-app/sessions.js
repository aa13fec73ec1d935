import { ask } from './ask.js'
import { make, withName, withTime } from './_kit/dom.js'

/**
 * @typedef {object} SessionAttributes
 * @property {string} created_at
 * @property {string} last_seen
 * @property {boolean} long_run
 * @property {boolean} short_run
 * @property {boolean} current
 * @property {string} [os]
 * @property {string} [browser]
 * @property {string} [ip]
 * @property {string} [country]
 */

/** @typedef {{ id: string, about: SessionAttributes }} Session */

/**
 * Where the owner is logged in.
 *
 * @param {import('./main.js').Tools} tools
 * @returns {Promise<Node[]>}
 */
export async function sessionsSection(tools) {
  const resources = await tools.api.list('/settings/sessions')
  const sessions = resources
    .map(({ id, attributes }) => {
      // The shape of `GET /settings/sessions`.
      const about = /** @type {SessionAttributes} */ (/** @type {unknown} */ (attributes))
      return { id, about }
    })
    .sort(currentFirst)
  const others = sessions.filter(({ about }) => !about.current).length
  const list = make(
    'ul',
    { class: 'cards' },
    ...sessions.map((session) => sessionCard(session, tools)),
  )
  return others === 0 ? [list] : [list, othersButton(others, tools)]
}

/** @param {Session} one @param {Session} other */
function currentFirst(one, other) {
  if (one.about.current !== other.about.current) return one.about.current ? -1 : 1
  return other.about.last_seen.localeCompare(one.about.last_seen)
}

/**
 * @param {Session} session
 * @param {import('./main.js').Tools} tools
 */
function sessionCard({ id, about }, tools) {
  const { t, when } = tools
  const name = nameOf(about, t)
  const seen = about.current
    ? [t('sessions.now')]
    : withTime(t, 'sessions.seen', when(about.last_seen))
  const facts = [
    make('span', {}, ...seen),
    make('span', {}, ...withTime(t, 'sessions.created', when(about.created_at))),
    ...[about.country ?? '', about.ip ?? '']
      .filter((text) => text !== '')
      .map((text) => make('span', {}, make('bdi', {}, text))),
    ...(about.long_run ? [make('span', {}, t('sessions.long'))] : []),
    ...(about.short_run ? [make('span', {}, t('sessions.short'))] : []),
  ]
  const text = make(
    'div',
    { class: 'item__text' },
    make(
      'h2',
      { class: 'item__name' },
      make('bdi', {}, name),
      ...(about.current ? [' ', make('span', { class: 'badge' }, t('sessions.current'))] : []),
    ),
    make('p', { class: 'item__facts' }, ...facts),
  )
  const card = make('li', { class: 'item item--plain' }, text)
  if (!about.current) card.append(endButton(id, name, tools))
  return card
}

/** @param {SessionAttributes} about @param {import('./_kit/texts.js').Translate} t */
function nameOf({ browser = '', os = '' }, t) {
  if (browser !== '' && os !== '') return t('sessions.where', { browser, os })
  return browser || os || t('sessions.unknown')
}

/**
 * @param {string} id
 * @param {string} name
 * @param {import('./main.js').Tools} tools
 */
function endButton(id, name, { api, t, announce, reload }) {
  const button = make(
    'button',
    { class: 'button', type: 'button', 'aria-label': t('sessions.end.label', { name }) },
    t('sessions.end'),
  )
  button.addEventListener('click', async () => {
    const done = await ask({
      title: withName(t, 'sessions.end.title', name),
      text: t('sessions.end.text'),
      confirm: t('sessions.end'),
      busy: t('sessions.end.busy'),
      cancel: t('app.cancel'),
      failed: t('app.failed'),
      act: () => api.remove(`/settings/sessions/${encodeURIComponent(id)}`),
    })
    if (!done) return
    announce(t('sessions.ended', { name }))
    reload()
  })
  return button
}

/**
 * @param {number} count
 * @param {import('./main.js').Tools} tools
 */
function othersButton(count, { api, t, announce, reload }) {
  const button = make(
    'button',
    { class: 'button button--danger-quiet', type: 'button' },
    t('sessions.others', { count }),
  )
  button.addEventListener('click', async () => {
    const done = await ask({
      title: [t('sessions.others.title', { count })],
      text: t('sessions.others.text'),
      confirm: t('sessions.others', { count }),
      busy: t('sessions.end.busy'),
      cancel: t('app.cancel'),
      failed: t('app.failed'),
      act: () => api.remove('/auth/login/others'),
    })
    if (!done) return
    announce(t('sessions.others.done'))
    reload()
  })
  return make('p', { class: 'below' }, button)
}
