import { byId } from './_kit/dom.js'

/**
 * Asks once before everything is deleted.
 *
 * @param {{ count: number, t: import('./_kit/texts.js').Translate }} about
 * @returns {Promise<boolean>}
 */
export function ask({ count, t }) {
  const dialog = /** @type {HTMLDialogElement} */ (byId('ask'))
  byId('ask-title').textContent = t('clear.title', { count })
  byId('ask-text').textContent = t('clear.text')
  byId('ask-no').textContent = t('safe.cancel')
  byId('ask-yes').textContent = t('clear.confirm', { count })
  dialog.returnValue = 'no'
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true })
    dialog.showModal()
  })
}
