import { clientDetails } from './client-details.js'
import { colourOf, initials, make, shownName, withName, withTime } from './_kit/dom.js'
import { nothing } from './states.js'

/** From how many apps on a search field helps. */
const SEARCH_FROM = 8
/** Longer ago than this, an app is likely to have been forgotten. */
const UNUSED_MS = 90 * 24 * 3_600_000

/**
 * @typedef {object} ClientAttributes
 * @property {string} client_name
 * @property {string} [former_name] the one that it was allowed by, before it renamed itself
 * @property {string} [client_kind]
 * @property {string} software_id
 * @property {string} [software_version]
 * @property {string} [platform]
 * @property {string} created_at
 * @property {string} [last_used_at]
 * @property {string} [last_used_from]
 * @property {string} [expires_at]
 * @property {string} [scope] `@` before it: that of an app of the space, which cannot be divided
 * @property {readonly import('./client-rights.js').Right[]} permissions
 */
/** @typedef {import('./main.js').Tools} Tools */

/**
 * The apps and devices that have access, the one used last first.
 *
 * @param {Tools} tools
 * @returns {Promise<readonly Node[]>}
 */
export async function clientsList(tools) {
  const { api, t } = tools
  // Assistants have a group of their own while they are connected.
  const clients = (await api.list('/settings/clients'))
    .filter(({ attributes }) => attributes['client_kind'] !== 'assistant')
    .sort(byLastUse)
  if (clients.length === 0) {
    const home = make('a', { class: 'button', href: `${api.origin}/` }, t('app.openHome'))
    return [nothing(t('clients.none'), home)]
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
 * @param {Tools} tools
 */
function searchField(clients, cards, { t }) {
  const input = make('input', { class: 'field__input', type: 'search', id: 'search' })
  const found = make('p', { class: 'field__hint', role: 'status' })
  const show = () => {
    const wanted = input.value.trim().toLocaleLowerCase()
    let count = 0
    clients.forEach(({ attributes }, at) => {
      const names = [attributes['client_name'], attributes['former_name'] ?? '']
      const fits = names.join(' ').toLocaleLowerCase().includes(wanted)
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
 * @param {Tools} tools
 */
function clientCard(client, tools) {
  const { t, when } = tools
  // The shape of `GET /settings/clients`.
  const about = /** @type {ClientAttributes} */ (/** @type {unknown} */ (client.attributes))
  const name = shownName(about.client_name)
  const isForgotten = new Date(lastUse(client)).getTime() < new Date().getTime() - UNUSED_MS
  const used =
    about.last_used_at === undefined
      ? [t('clients.unused')]
      : withTime(t, 'clients.used', when(about.last_used_at))
  const end = about.expires_at
  return make(
    'li',
    { class: 'item', 'data-part': client.id },
    make('span', { class: `tile tile--${colourOf(name)}`, 'aria-hidden': 'true' }, initials(name)),
    make(
      'div',
      { class: 'item__text' },
      make('h3', { class: 'item__name' }, make('bdi', {}, name)),
      ...(about.former_name === undefined
        ? []
        : [make('p', {}, ...withName(t, 'clients.renamed', shownName(about.former_name)))]),
      ...(isForgotten
        ? [
            make(
              'p',
              { class: 'chips' },
              make('span', { class: 'badge badge--warning' }, t('clients.forgotten')),
            ),
          ]
        : []),
      make(
        'p',
        { class: 'item__facts' },
        ...[kindOf(about, t), about.platform ?? '']
          .filter((text) => text !== '')
          .map((text) => make('span', {}, make('bdi', {}, text))),
        make('span', {}, ...used),
        ...(end === undefined ? [] : [make('span', {}, ...withTime(t, 'access.until', when(end)))]),
      ),
    ),
    clientDetails(client.id, name, about, tools),
  )
}

/** @param {ClientAttributes} about @param {import('./_kit/texts.js').Translate} t */
function kindOf({ client_kind: kind = '' }, t) {
  const key = `clients.kind.${kind}`
  const text = t(key)
  return text === key ? kind : text
}
