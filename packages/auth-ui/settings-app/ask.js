import { byId, make } from './_kit/dom.js'

/**
 * Asks once before something is lost.
 *
 * @typedef {object} Question
 * @property {(Node | string)[]} title
 * @property {string} text
 * @property {readonly string[]} [losses] what ends, one line each
 * @property {string} confirm
 * @property {string} busy
 * @property {string} cancel
 * @property {string} failed
 * @property {() => Promise<void>} act
 */

/**
 * Shows the question; the dialog closes when the act is done, stays open with a message when it failed.
 *
 * @param {Question} question
 * @returns {Promise<boolean>} whether it was done
 */
export function ask({ title, text, losses = [], confirm, busy, cancel, failed, act }) {
  const dialog = /** @type {HTMLDialogElement} */ (byId('ask'))
  const yes = /** @type {HTMLButtonElement} */ (byId('ask-yes'))
  const error = byId('ask-error')
  byId('ask-title').replaceChildren(...title)
  byId('ask-text').textContent = text
  byId('ask-losses').replaceChildren(...losses.map((loss) => make('li', {}, loss)))
  byId('ask-losses').hidden = losses.length === 0
  byId('ask-no').textContent = cancel
  yes.textContent = confirm
  error.textContent = ''
  dialog.returnValue = 'no'

  const ready = () => {
    yes.disabled = false
    yes.removeAttribute('aria-busy')
    yes.textContent = confirm
  }
  const run = async () => {
    if (yes.disabled) return
    yes.disabled = true
    yes.setAttribute('aria-busy', 'true')
    yes.textContent = busy
    error.textContent = ''
    try {
      await act()
      dialog.close('yes')
    } catch {
      error.textContent = failed
    } finally {
      ready()
    }
  }
  return new Promise((resolve) => {
    yes.addEventListener('click', run)
    dialog.addEventListener(
      'close',
      () => {
        yes.removeEventListener('click', run)
        resolve(dialog.returnValue === 'yes')
      },
      { once: true },
    )
    dialog.showModal()
  })
}
