import { ask } from './ask.js'
import { make, shownName, withName } from './_kit/dom.js'
import { whileBusy } from './fields.js'
import { isRefusal, wordsFor } from './words.js'

/** @typedef {import('./main.js').Tools} Tools */
/**
 * What an assistant changed or deleted, while the version before is kept.
 *
 * @typedef {object} Change
 * @property {string} id
 * @property {string} title
 * @property {boolean} is_deleted
 * @property {boolean} is_back
 */

/**
 * What was changed, and the button that puts it back.
 *
 * @param {string} assistant id
 * @param {Change} change
 * @param {Tools} tools
 */
export function putBackLine(assistant, change, tools) {
  const { t } = tools
  const name = shownName(change.title)
  const title = make('span', { class: 'deed__title' }, make('bdi', {}, name))
  const line = make('p', { class: 'deed__change' }, title)
  if (change.is_back) {
    line.append(state(t))
    return line
  }
  const button = make(
    'button',
    { class: 'button', type: 'button', 'aria-label': t('assistants.putBack.label', { name }) },
    t('assistants.putBack'),
  )
  const address = `/settings/assistants/${encodeURIComponent(assistant)}/activity/${encodeURIComponent(change.id)}/put-back`
  button.addEventListener('click', () => {
    tools.warn('')
    let isBack = false
    whileBusy(button, t('app.oneMoment'), async () => {
      isBack = await putBack(address, name, tools)
    })
      .then(() => {
        if (isBack) showBack(line, button, name, tools)
        else button.focus()
      })
      .catch((error) => {
        tools.warn(
          isRefusal(error, 'not_found') ? t('assistants.putBack.gone') : wordsFor(error, t),
        )
      })
  })
  line.append(button)
  return line
}

/**
 * Over what somebody else made of it since only once the owner says so.
 *
 * @param {string} address
 * @param {string} name
 * @param {Tools} tools
 * @returns {Promise<boolean>} whether it is back
 */
async function putBack(address, name, { api, t }) {
  try {
    await api.call('POST', address, {})
    return true
  } catch (error) {
    if (!isRefusal(error, 'changed_since')) throw error
  }
  return ask({
    title: withName(t, 'assistants.putBack.ask.title', name),
    text: t('assistants.putBack.ask.text'),
    confirm: t('assistants.putBack.ask.yes'),
    busy: t('app.oneMoment'),
    cancel: t('app.cancel'),
    failed: t('app.failed'),
    act: async () => {
      await api.call('POST', address, { overwrites: true })
    },
  })
}

/**
 * Focus was on the button, and stays where it was.
 *
 * @param {HTMLElement} line
 * @param {HTMLButtonElement} button
 * @param {string} name
 * @param {Tools} tools
 */
function showBack(line, button, name, { announce, t }) {
  const text = state(t)
  text.tabIndex = -1
  button.replaceWith(text)
  text.focus({ preventScroll: true })
  announce(t('assistants.putBack.done', { name }))
  line.scrollIntoView({ block: 'nearest' })
}

/** @param {import('./_kit/texts.js').Translate} t */
function state(t) {
  return make('span', { class: 'badge' }, t('assistants.putBack.isBack'))
}
