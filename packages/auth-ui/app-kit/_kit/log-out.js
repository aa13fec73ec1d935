import { byId } from './dom.js'

/**
 * The button `#log-out` of a page: it ends the session of this browser.
 *
 * @param {{
 *   api: ReturnType<typeof import('./api.js').createApi>
 *   t: import('./texts.js').Translate
 *   report: (error: unknown) => void
 * }} tools `report` says what did not work
 */
export function drawLogOut({ api, t, report }) {
  const button = /** @type {HTMLButtonElement} */ (byId('log-out'))
  const words = byId('log-out-words')
  const leave = async () => {
    button.disabled = true
    button.setAttribute('aria-busy', 'true')
    words.textContent = t('home.loggingOut')
    try {
      await api.logOut()
    } catch (error) {
      button.disabled = false
      button.removeAttribute('aria-busy')
      words.textContent = t('home.logOut')
      report(error)
    }
  }
  words.textContent = t('home.logOut')
  button.hidden = false
  button.addEventListener('click', () => void leave())
}
