import { ENDINGS, KINDS, readAccess } from './access-data.js'
import { ask } from './ask.js'
import { colourOf, initials, make, shownName, withName, withTime } from './_kit/dom.js'

/** @typedef {import('./access-data.js').Access} Access */
/** @typedef {import('./main.js').Tools} Tools */

/**
 * Everything that has access: apps, browsers that are logged in, browsers that skip the second step.
 *
 * @param {Tools} tools
 * @returns {Promise<Node[]>}
 */
export async function accessSection(tools) {
  const all = readAccess(await tools.api.list('/settings/access'))
  return KINDS.flatMap((kind) => {
    const entries = all.filter(({ about }) => about.kind === kind)
    if (entries.length === 0) return []
    const { t } = tools
    return [
      make(
        'section',
        { class: 'group', 'aria-labelledby': `access-${kind}` },
        make(
          'h2',
          { class: 'group__title', id: `access-${kind}` },
          t(`access.${kind}`, { count: entries.length }),
        ),
        make('ul', { class: 'cards' }, ...entries.map((entry) => accessCard(entry, tools))),
      ),
    ]
  })
}

/** @param {Access} entry @param {Tools} tools */
function accessCard(entry, tools) {
  const { about } = entry
  const { t } = tools
  const name = shownName(about.name) || t('sessions.unknown')
  const isCurrent = about.current === true
  const badge = isCurrent ? [' ', make('span', { class: 'badge' }, t('sessions.current'))] : []
  return make(
    'li',
    { class: 'item' },
    make('span', { class: `tile tile--${colourOf(name)}`, 'aria-hidden': 'true' }, initials(name)),
    make(
      'div',
      { class: 'item__text' },
      make('h3', { class: 'item__name' }, make('bdi', {}, name), ...badge),
      make('p', { class: 'item__facts' }, ...whoFacts(entry, tools)),
      make('p', { class: 'item__facts' }, ...timeFacts(entry, tools)),
    ),
    ...(isCurrent ? [] : [endButton(entry, name, tools)]),
    ...details(entry, tools),
  )
}

/** What it is and where it was. @param {Access} entry @param {Tools} tools */
function whoFacts({ about }, { t }) {
  const { client_kind: kind = '', platform = '', country = '', last_used_from: from = '' } = about
  const key = `clients.kind.${kind}`
  const words = t(key)
  return [
    ...[words === key ? kind : words, platform]
      .filter((text) => text !== '')
      .map((text) => make('span', {}, make('bdi', {}, text))),
    ...(from === '' ? [] : [make('span', {}, ...withName(t, 'access.from', from))]),
    ...(country === '' ? [] : [make('span', {}, make('bdi', {}, country))]),
  ]
}

/** Last use, since when, until when. @param {Access} entry @param {Tools} tools */
function timeFacts({ about }, { t, when }) {
  const { last_used_at: used, created_at: created, expires_at: end } = about
  const usedWords =
    used === undefined ? [t('clients.unused')] : withTime(t, 'clients.used', when(used))
  const endWords =
    end === undefined ? [t('access.lasting')] : withTime(t, 'access.until', when(end))
  // Of a client that has nothing any more there is nothing to end.
  const isOver = about.kind === 'client' && about.permissions.length === 0
  return [
    make('span', {}, ...(about.current === true ? [t('sessions.now')] : usedWords)),
    make('span', {}, ...withTime(t, 'access.since', when(created))),
    ...(isOver ? [] : [make('span', {}, ...endWords)]),
  ]
}

/** What it may do, in words and as it stands. @param {Access} entry @param {Tools} tools */
function details({ about }, { t, when }) {
  if (about.kind === 'trusted_device') return []
  const words = about.permissions.map(({ text, until }) =>
    make(
      'li',
      {},
      make('bdi', {}, text),
      ...(until === undefined || until === about.expires_at
        ? []
        : [' · ', ...withTime(t, 'access.until', when(until))]),
    ),
  )
  const rules = about.permissions.map(({ scope }) =>
    make('dd', {}, make('code', { dir: 'ltr' }, scope)),
  )
  return [
    make(
      'details',
      { class: 'item__details' },
      make('summary', {}, t('clients.may')),
      words.length === 0
        ? make('p', { class: 'muted' }, t('clients.nothing'))
        : make('ul', { class: 'rights' }, ...words),
      make(
        'details',
        { class: 'raw' },
        make('summary', {}, t('clients.raw')),
        make('dl', {}, make('dt', {}, t('clients.raw.scope')), ...rules),
      ),
    ),
  ]
}

/** @param {Access} entry @param {string} name @param {Tools} tools */
function endButton({ id, about }, name, { api, t, announce, reload }) {
  const words = ENDINGS[about.kind]
  const button = make(
    'button',
    {
      class: 'button button--danger-quiet',
      type: 'button',
      'aria-label': t(words.label, { name }),
    },
    t(words.end),
  )
  button.addEventListener('click', async () => {
    const done = await ask({
      title: withName(t, words.title, name),
      text: t(words.text),
      losses: about.kind === 'client' ? about.permissions.map(({ text }) => text) : [],
      confirm: t(words.end),
      busy: t(words.busy),
      cancel: t('app.cancel'),
      failed: t('app.failed'),
      act: () => api.remove(words.path + encodeURIComponent(id)),
    })
    if (!done) return
    announce(t(words.ended, { name }))
    reload()
  })
  return button
}
