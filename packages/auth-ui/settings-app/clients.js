import { ask } from './ask.js'
import { colourOf, initials, make, shownName, withName, withTime } from './_kit/dom.js'

/** From how many apps on a search field helps. */
const SEARCH_FROM = 8

/**
 * @typedef {object} ClientAttributes
 * @property {string} client_name
 * @property {string} [client_kind]
 * @property {string} software_id
 * @property {string} [software_version]
 * @property {string} [platform]
 * @property {string} created_at
 * @property {string} [last_used_at]
 * @property {string} [expires_at]
 * @property {readonly { scope: string, text: string }[]} permissions
 */

/**
 * The apps and devices that have access.
 *
 * @param {import('./main.js').Tools} tools
 * @returns {Promise<Node[]>}
 */
export async function clientsSection(tools) {
  const { api, t } = tools
  const clients = [...(await api.list('/settings/clients'))].sort(byLastUse)
  if (clients.length === 0) {
    return [
      make(
        'div',
        { class: 'empty' },
        make('p', { class: 'empty__title' }, t('clients.none')),
        make('p', { class: 'muted' }, t('clients.none.hint')),
      ),
    ]
  }
  const cards = clients.map((client) => clientCard(client, tools))
  const list = make('ul', { class: 'cards' }, ...cards)
  return clients.length < SEARCH_FROM ? [list] : [searchField(clients, cards, tools), list]
}

/** @param {import('./_kit/api.js').Resource} one @param {import('./_kit/api.js').Resource} other */
function byLastUse(one, other) {
  return lastUse(other).localeCompare(lastUse(one))
}

/** @param {import('./_kit/api.js').Resource} client */
function lastUse({ attributes }) {
  return String(attributes['last_used_at'] ?? attributes['created_at'])
}

/**
 * @param {readonly import('./_kit/api.js').Resource[]} clients
 * @param {readonly HTMLElement[]} cards
 * @param {import('./main.js').Tools} tools
 */
function searchField(clients, cards, { t }) {
  const input = make('input', { class: 'field__input', type: 'search', id: 'search' })
  const found = make('p', { class: 'field__hint', role: 'status' })
  const show = () => {
    const wanted = input.value.trim().toLocaleLowerCase()
    let count = 0
    clients.forEach(({ attributes }, at) => {
      const fits = String(attributes['client_name']).toLocaleLowerCase().includes(wanted)
      const card = cards[at]
      if (card !== undefined) card.hidden = !fits
      if (fits) count += 1
    })
    found.textContent = count === 0 ? t('clients.noMatch') : t('clients.found', { count })
  }
  input.addEventListener('input', show)
  show()
  return make(
    'div',
    { class: 'field search', role: 'search' },
    make('label', { class: 'field__label', for: 'search' }, t('clients.search')),
    make('div', { class: 'field__box' }, input),
    found,
  )
}

/**
 * @param {import('./_kit/api.js').Resource} client
 * @param {import('./main.js').Tools} tools
 */
function clientCard(client, tools) {
  const { t, when } = tools
  // The shape of `GET /settings/clients`.
  const about = /** @type {ClientAttributes} */ (/** @type {unknown} */ (client.attributes))
  const name = shownName(about.client_name)
  const kind = kindOf(about, t)
  const revoke = make(
    'button',
    {
      class: 'button button--danger-quiet',
      type: 'button',
      'aria-label': t('clients.revoke.label', { name }),
    },
    t('clients.revoke'),
  )
  const used =
    about.last_used_at === undefined
      ? [t('clients.unused')]
      : withTime(t, 'clients.used', when(about.last_used_at))
  const card = make(
    'li',
    { class: 'item' },
    make('span', { class: `tile tile--${colourOf(name)}`, 'aria-hidden': 'true' }, initials(name)),
    make(
      'div',
      { class: 'item__text' },
      make('h2', { class: 'item__name' }, make('bdi', {}, name)),
      make('p', { class: 'item__facts' }, ...facts([kind, about.platform ?? ''])),
      make(
        'p',
        { class: 'item__facts' },
        make('span', {}, ...used),
        ' ',
        make('span', {}, ...withTime(t, 'clients.created', when(about.created_at))),
        ...(about.expires_at === undefined
          ? []
          : [' ', make('span', {}, ...withTime(t, 'access.until', when(about.expires_at)))]),
      ),
    ),
    revoke,
    details(client.id, about, t),
  )
  revoke.addEventListener('click', () => {
    void revokeClient(client.id, name, about, card, tools)
  })
  return card
}

/** @param {readonly string[]} texts */
function facts(texts) {
  return texts.filter((text) => text !== '').map((text) => make('span', {}, make('bdi', {}, text)))
}

/** @param {ClientAttributes} about @param {import('./_kit/texts.js').Translate} t */
function kindOf({ client_kind: kind = '' }, t) {
  const key = `clients.kind.${kind}`
  const text = t(key)
  return text === key ? kind : text
}

/**
 * @param {string} id
 * @param {ClientAttributes} about
 * @param {import('./_kit/texts.js').Translate} t
 */
function details(id, { permissions, software_id, software_version = '' }, t) {
  const code = (/** @type {string} */ text) => make('dd', {}, make('code', { dir: 'ltr' }, text))
  const words =
    permissions.length === 0
      ? [make('p', { class: 'muted' }, t('clients.nothing'))]
      : [
          make(
            'ul',
            { class: 'rights' },
            ...permissions.map(({ text }) => make('li', {}, make('bdi', {}, text))),
          ),
        ]
  return make(
    'details',
    { class: 'item__details' },
    make('summary', {}, t('clients.may')),
    ...words,
    make(
      'details',
      { class: 'raw' },
      make('summary', {}, t('clients.raw')),
      make(
        'dl',
        {},
        make('dt', {}, t('clients.raw.scope')),
        ...permissions.map(({ scope }) => code(scope)),
        make('dt', {}, t('clients.raw.software')),
        code(`${software_id} ${software_version}`.trim()),
        make('dt', {}, t('clients.raw.id')),
        code(id),
      ),
    ),
  )
}

/**
 * @param {string} id
 * @param {string} name
 * @param {ClientAttributes} about
 * @param {HTMLElement} card
 * @param {import('./main.js').Tools} tools
 */
async function revokeClient(id, name, about, card, { api, t, announce, reload }) {
  const done = await ask({
    title: withName(t, 'clients.revoke.title', name),
    text: t('clients.revoke.text'),
    losses: about.permissions.map(({ text }) => text),
    confirm: t('clients.revoke.confirm'),
    busy: t('clients.revoke.busy'),
    cancel: t('app.cancel'),
    failed: t('app.failed'),
    act: () => api.remove(`/settings/clients/${encodeURIComponent(id)}`),
  })
  if (!done) return
  card.remove()
  announce(t('clients.revoked', { name }))
  reload()
}
