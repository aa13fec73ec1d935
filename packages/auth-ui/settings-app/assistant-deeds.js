import { dateText } from './_kit/dates.js'
import { make, makeTime } from './_kit/dom.js'
import { sizeInWords } from './size.js'
import { failure } from './states.js'
import { putBackLine } from './put-back.js'
import { whileBusy } from './fields.js'

/** What the owner did not allow; of everything else the client is told why it got nothing. */
const REFUSED = 'permission_refused'

/** @typedef {import('./main.js').Tools} Tools */
/**
 * A call, what happened to the assistant, or a day whose calls are only counted.
 *
 * @typedef {object} Deed
 * @property {string} [time]
 * @property {string} [tool]
 * @property {string} [kind]
 * @property {number} [documents]
 * @property {number} [bytes]
 * @property {string} [outcome]
 * @property {string} [event]
 * @property {readonly { id: string }[]} [writes]
 * @property {import('./put-back.js').Change} [change] what can be put back, or was
 * @property {string} [day]
 * @property {readonly { kind?: string, calls: number, documents: number }[]} [counts]
 */

/**
 * What an assistant did, newest first; asked for once it is opened.
 *
 * @param {string} id
 * @param {Tools} tools
 */
export function assistantDeeds(id, tools) {
  const { t } = tools
  const list = make('ul', { class: 'deeds' })
  const below = make('div', { class: 'part' })
  const details = make(
    'details',
    { class: 'item__details' },
    make('summary', {}, t('assistants.did')),
    make('div', { class: 'item__opened' }, list, below),
  )
  let isAsked = false
  details.addEventListener('toggle', () => {
    if (!details.open || isAsked) return
    isAsked = true
    void addPage(id, list, below, `/settings/assistants/${encodeURIComponent(id)}/activity`, tools)
  })
  return details
}

/** @param {string} id @param {HTMLElement} list @param {HTMLElement} below @param {string} address @param {Tools} tools */
async function addPage(id, list, below, address, tools) {
  const { api, t } = tools
  try {
    // The shape of `GET /settings/assistants/:id/activity`.
    const { data, links } =
      /** @type {{ data: readonly { attributes: Deed }[], links: { next?: string } }} */ (
        await api.call('GET', address)
      )
    list.append(...data.map(({ attributes }) => row(id, attributes, tools)))
    const { next } = links
    const isEmpty = list.children.length === 0
    below.replaceChildren(
      ...(isEmpty ? [make('p', { class: 'muted' }, t('assistants.did.none'))] : []),
      ...(next === undefined ? [] : [moreButton(id, list, below, next, tools)]),
    )
  } catch (error) {
    below.replaceChildren(failure(error, t, () => addPage(id, list, below, address, tools)))
  }
}

/** @param {string} id @param {HTMLElement} list @param {HTMLElement} below @param {string} next @param {Tools} tools */
function moreButton(id, list, below, next, tools) {
  const { t } = tools
  const more = make('button', { class: 'button', type: 'button' }, t('activity.more'))
  more.addEventListener(
    'click',
    () => void whileBusy(more, t('app.oneMoment'), () => addPage(id, list, below, next, tools)),
  )
  return more
}

/** @param {string} id @param {Deed} deed @param {Tools} tools */
function row(id, deed, tools) {
  return make(
    'li',
    { class: 'deed' },
    ...(deed.day === undefined ? call(id, deed, tools) : day(deed, tools)),
  )
}

/** @param {string} id @param {Deed} deed @param {Tools} tools */
function call(
  id,
  { time = '', tool = '', kind = '', documents = 0, bytes = 0, outcome = 'ok', ...deed },
  tools,
) {
  const { t, when } = tools
  const facts =
    deed.event === undefined
      ? [t('assistants.documents', { count: documents }), sizeInWords(bytes)]
      : []
  const name = deed.event === undefined ? toolInWords(tool, t) : t('assistants.keysReplaced')
  return [
    make(
      'p',
      { class: 'deed__what' },
      make('bdi', {}, kind === '' ? name : t('assistants.deed', { tool: name, kind })),
      ...(outcome === 'ok'
        ? []
        : [
            ' ',
            make(
              'span',
              { class: 'badge badge--warning', title: outcome },
              t(outcome === REFUSED ? 'activity.refused' : 'assistants.failed'),
            ),
          ]),
    ),
    make(
      'p',
      { class: 'item__facts' },
      make('span', {}, makeTime(when(time))),
      ...facts.map((text) => make('span', {}, text)),
      ...(deed.writes ?? []).map((write) =>
        make('span', {}, make('code', { dir: 'ltr' }, write.id)),
      ),
    ),
    ...(deed.change === undefined ? [] : [putBackLine(id, deed.change, tools)]),
  ]
}

/** @param {Deed} deed @param {Tools} tools */
function day({ day: name = '', counts = [] }, { t }) {
  const { lang } = document.documentElement
  const date = dateText(lang, { dateStyle: 'medium', timeZone: 'UTC' }, new Date(name))
  return [
    make('p', { class: 'deed__what' }, make('time', { datetime: name }, date)),
    ...counts.map(({ kind = '', calls, documents }) =>
      make(
        'p',
        { class: 'item__facts' },
        ...[
          kind === '' ? t('activity.use.other') : kind,
          t('assistants.calls', { count: calls }),
          t('assistants.documents', { count: documents }),
        ].map((text) => make('span', {}, make('bdi', {}, text))),
      ),
    ),
  ]
}

/** A tool of another package is called what it calls itself.  @param {string} tool @param {import('./_kit/texts.js').Translate} t */
export function toolInWords(tool, t) {
  const key = `assistants.tool.${tool}`
  const text = t(key)
  return text === key ? tool : text
}
