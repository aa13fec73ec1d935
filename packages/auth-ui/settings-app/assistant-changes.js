import { make, makeTime, shownName, withName } from './_kit/dom.js'
import { toolInWords } from './assistant-deeds.js'
import { whileBusy } from './fields.js'
import { putBackLine } from './put-back.js'
import { failure } from './states.js'

/** @typedef {import('./main.js').Tools} Tools */
/** @typedef {import('./put-back.js').Change & { assistant: { id: string, name: string }, time: string, kind: string }} Found */
/** @typedef {{ data: readonly { id: string, attributes: Omit<Found, 'id'> }[], links: { next?: string } }} Page the shape of `GET /settings/assistants/changes` */

/**
 * What assistants changed, also those that are gone: whoever ends one wants its changes undone after that.
 *
 * @param {Tools} tools
 */
export function assistantChanges(tools) {
  const { t } = tools
  const list = make('ul', { class: 'deeds' })
  const below = make('div', { class: 'part' })
  const details = make(
    'details',
    { class: 'item__details item__details--group', 'data-part': 'changes' },
    make('summary', {}, t('assistants.changes')),
    make(
      'div',
      { class: 'item__opened' },
      make('p', { class: 'muted small' }, t('assistants.changes.lead')),
      list,
      below,
    ),
  )
  let isAsked = false
  details.addEventListener('toggle', () => {
    if (!details.open || isAsked) return
    isAsked = true
    void addPage(list, below, '/settings/assistants/changes', tools)
  })
  return details
}

/** @param {HTMLElement} list @param {HTMLElement} below @param {string} address @param {Tools} tools */
async function addPage(list, below, address, tools) {
  const { api, t } = tools
  try {
    const { data, links } = /** @type {Page} */ (await api.call('GET', address))
    list.append(...data.map(({ id, attributes }) => row({ id, ...attributes }, tools)))
    const { next } = links
    below.replaceChildren(...(next === undefined ? [] : [moreButton(list, below, next, tools)]))
  } catch (error) {
    below.replaceChildren(failure(error, t, () => addPage(list, below, address, tools)))
  }
}

/** @param {HTMLElement} list @param {HTMLElement} below @param {string} next @param {Tools} tools */
function moreButton(list, below, next, tools) {
  const { t } = tools
  const more = make('button', { class: 'button', type: 'button' }, t('activity.more'))
  more.addEventListener(
    'click',
    () => void whileBusy(more, t('app.oneMoment'), () => addPage(list, below, next, tools)),
  )
  return more
}

/** @param {Found} change @param {Tools} tools */
function row(change, tools) {
  const { t, when } = tools
  const { assistant, kind, time } = change
  const tool = toolInWords(change.is_deleted ? 'delete' : 'update', t)
  return make(
    'li',
    { class: 'deed' },
    make('p', { class: 'deed__what' }, make('bdi', {}, t('assistants.deed', { tool, kind }))),
    make(
      'p',
      { class: 'item__facts' },
      make('span', {}, makeTime(when(time))),
      make('span', {}, ...withName(t, 'assistants.changes.by', shownName(assistant.name))),
    ),
    putBackLine(assistant.id, change, tools),
  )
}
