import { ApiError } from './_kit/api.js'
import { colourOf, initials, make, shownName, withName, withTime } from './_kit/dom.js'
import { assistantChanges } from './assistant-changes.js'
import { assistantDeeds } from './assistant-deeds.js'
import { makeRights } from './client-rights.js'
import { whileBusy } from './fields.js'
import { wordsFor } from './words.js'

/** @typedef {import('./main.js').Tools} Tools */
/**
 * @typedef {object} AssistantAttributes
 * @property {string} name
 * @property {boolean} [unnamed]
 * @property {string} [former_name]
 * @property {string} host `registered`: nobody knows where it comes from
 * @property {readonly string[]} resources
 * @property {readonly import('./client-rights.js').Right[]} permissions
 * @property {string} created_at
 * @property {string} expires_at
 * @property {string} [last_used_at]
 * @property {string} [last_used_from]
 * @property {{ calls: number, documents: number }} last_day
 */
/** @typedef {{ data: readonly import('./_kit/api.js').Resource[], meta: { allowed: boolean, changed?: boolean } }} List */

/**
 * The assistants that are connected, above the apps, and what any of them changed; nothing while there is none of it and
 * all may come.
 *
 * @param {Tools} tools
 * @returns {Promise<Node[]>}
 */
export async function assistantsGroup(tools) {
  const { api, t } = tools
  const { data, meta } = await listed(api)
  const { allowed, changed = false } = meta
  if (data.length === 0 && allowed && !changed) return []
  const buttons = make(
    'div',
    { class: 'form__buttons' },
    ...(data.length > 1 ? [endAll(tools)] : []),
    ...(data.length > 0 || !allowed ? [switchButton(allowed, tools)] : []),
  )
  return [
    make(
      'section',
      { class: 'group', 'aria-labelledby': 'assistants-title', 'data-part': 'assistants' },
      make('h2', { class: 'group__title', id: 'assistants-title' }, t('assistants.title')),
      make('p', { class: 'muted small' }, t('assistants.lead')),
      ...(allowed ? [] : [make('p', { class: 'notice' }, t('assistants.forbidden'))]),
      ...(data.length === 0
        ? []
        : [make('ul', { class: 'cards' }, ...data.map((assistant) => card(assistant, tools)))]),
      ...(changed ? [assistantChanges(tools)] : []),
      buttons,
    ),
  ]
}

/** A server of before has none.  @param {Tools['api']} api @returns {Promise<List>} */
async function listed(api) {
  try {
    // The shape of `GET /settings/assistants`.
    return /** @type {List} */ (await api.call('GET', '/settings/assistants'))
  } catch (error) {
    if (error instanceof ApiError && error.status === 404)
      return { data: [], meta: { allowed: true } }
    throw error
  }
}

/** @param {import('./_kit/api.js').Resource} assistant @param {Tools} tools */
function card({ id, attributes }, tools) {
  const { t, when } = tools
  const about = /** @type {AssistantAttributes} */ (/** @type {unknown} */ (attributes))
  const name = shownName(about.name)
  const used =
    about.last_used_at === undefined
      ? [t('assistants.unused')]
      : withTime(t, 'assistants.used', when(about.last_used_at))
  return make(
    'li',
    { class: 'item', 'data-part': id },
    make('span', { class: `tile tile--${colourOf(name)}`, 'aria-hidden': 'true' }, initials(name)),
    make(
      'div',
      { class: 'item__text' },
      make('h3', { class: 'item__name' }, make('bdi', {}, name)),
      make('p', { class: 'muted small' }, ...cameFrom(about, t)),
      make(
        'p',
        { class: 'item__facts' },
        make('span', {}, ...used),
        make('span', {}, ...withTime(t, 'access.until', when(about.expires_at))),
        make('span', {}, lastDay(about.last_day, t)),
      ),
    ),
    make('div', { class: 'item__buttons' }, endButton(id, name, tools)),
    make(
      'details',
      { class: 'item__details' },
      make('summary', {}, t('assistants.may')),
      make(
        'div',
        { class: 'item__opened' },
        makeRights(about.permissions, name, tools),
        times(about, tools),
      ),
    ),
    assistantDeeds(id, tools),
  )
}

/** @param {AssistantAttributes} about @param {import('./_kit/texts.js').Translate} t */
function cameFrom({ host, unnamed, former_name: former = '' }, t) {
  const from =
    host === 'registered'
      ? [t(unnamed === true ? 'assistants.unnamed' : 'assistants.registered')]
      : withName(t, 'assistants.from', host)
  return former === ''
    ? from
    : [...from, ' ', ...withName(t, 'assistants.renamed', shownName(former))]
}

/** @param {AssistantAttributes} about @param {Tools} tools */
function times({ created_at: since, last_used_from: from = '', resources }, { t, when }) {
  return make(
    'p',
    { class: 'item__facts' },
    make('span', {}, ...withTime(t, 'assistants.since', when(since))),
    ...(from === '' ? [] : [make('span', {}, ...withName(t, 'access.from', from))]),
    ...resources.map((resource) => make('span', {}, make('code', { dir: 'ltr' }, resource))),
  )
}

/** @param {AssistantAttributes['last_day']} day @param {import('./_kit/texts.js').Translate} t */
function lastDay({ calls, documents }, t) {
  if (calls === 0) return t('assistants.quiet')
  return t('assistants.day', {
    calls: t('assistants.calls', { count: calls }),
    documents: t('assistants.documents', { count: documents }),
  })
}

/** One tap, and no question: it can ask again.  @param {string} id @param {string} name @param {Tools} tools */
function endButton(id, name, tools) {
  const { api, t } = tools
  return actButton('danger-quiet', 'assistants.end', tools, {
    label: t('assistants.end.label', { name }),
    act: () => api.remove(`/settings/assistants/${encodeURIComponent(id)}`),
    said: t('clients.revoked', { name }),
  })
}

/** @param {Tools} tools */
function endAll(tools) {
  return actButton('danger-quiet', 'assistants.endAll', tools, {
    act: () => tools.api.remove('/settings/assistants'),
    said: tools.t('assistants.allEnded'),
  })
}

/** @param {boolean} isAllowed @param {Tools} tools */
function switchButton(isAllowed, tools) {
  const name = isAllowed ? 'assistants.forbid' : 'assistants.allow'
  return actButton('', name, tools, {
    act: () => tools.api.call('PUT', '/settings/assistants/preferences', { allowed: !isAllowed }),
    said: tools.t(isAllowed ? 'assistants.forbidden' : 'assistants.allowed'),
  })
}

/**
 * @param {string} look
 * @param {string} words
 * @param {Tools} tools
 * @param {{ label?: string, act: () => Promise<unknown>, said: string }} what
 */
function actButton(look, words, { t, done, warn }, { label, act, said }) {
  const classes = look === '' ? 'button' : `button button--${look}`
  const button = make(
    'button',
    { class: classes, type: 'button', ...(label === undefined ? {} : { 'aria-label': label }) },
    t(words),
  )
  button.addEventListener('click', () => {
    whileBusy(button, t('app.oneMoment'), async () => {
      await act()
      done(said)
    }).catch((error) => warn(wordsFor(error, t)))
  })
  return button
}
