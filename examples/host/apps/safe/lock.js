import { ApiError } from './_kit/api.js'
import { createConfirmation } from './_kit/confirmation.js'
import { byId } from './_kit/dom.js'
import { CancelledError, confirmInWindow, REPLACED } from './confirm-window.js'

/** @typedef {import('./notes.js').Proof} Proof */
/** @typedef {'show' | 'clear' | 'remove'} Action */

/**
 * The lock of the safe: what needs the owner goes through `open`, which asks for a confirmation when there is none.
 *
 * @param {Omit<Parameters<typeof confirmInWindow>[0], never> & {
 *   t: import('./_kit/texts.js').Translate
 *   onLocked: () => void
 * }} parts `onLocked`: what was shown must go
 */
export function createLock({ t, onLocked, ...parts }) {
  const confirmation = createConfirmation(parts.api.origin)
  confirmation.receive()
  const state = byId('lock-state')
  const cancel = /** @type {HTMLButtonElement} */ (byId('cancel'))
  /** @type {AbortController | undefined} */
  let waiting
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  const lock = () => {
    clearTimeout(timer)
    confirmation.forget()
    state.textContent = t('lock.closed')
    byId('lock').dataset['state'] = 'closed'
    onLocked()
  }

  const showOpen = () => {
    const until = confirmation.until()
    const clock = new Intl.DateTimeFormat(document.documentElement.lang, { timeStyle: 'short' })
    state.textContent = t('lock.open', { time: clock.format(until) })
    byId('lock').dataset['state'] = 'open'
    clearTimeout(timer)
    timer = setTimeout(lock, confirmation.leftMs())
  }

  /**
   * @param {Action} action
   * @param {string} id of what it is about
   * @returns {Promise<Proof | undefined>} undefined: the browser is on its way to confirm, and comes back
   */
  const confirm = async (action, id) => {
    waiting?.abort(REPLACED)
    const mine = new AbortController()
    waiting = mine
    const asked = confirmInWindow(parts, {
      signal: mine.signal,
      onConfirmed: () => {
        state.textContent = t('lock.confirmed')
        byId('lock').dataset['state'] = 'confirmed'
      },
    })
    if (asked === undefined) {
      waiting = undefined
      // No window: the confirmation happens in this one.
      confirmation.ask({ section: 'notes', name: action, id })
      return undefined
    }
    state.textContent = t('lock.waiting')
    byId('lock').dataset['state'] = 'waiting'
    cancel.hidden = false
    try {
      const { code, state: answered } = await asked
      confirmation.keep(code, answered)
      return confirmation.proof()
    } finally {
      if (waiting === mine) cancel.hidden = true
    }
  }

  cancel.textContent = t('safe.cancel')
  cancel.addEventListener('click', () => waiting?.abort())
  state.textContent = t('lock.closed')

  return {
    lock,
    isOpen: () => confirmation.proof() !== undefined,
    /** What the owner confirmed in this window a moment ago, if this page was left for it. */
    resumed: () => confirmation.take('notes'),
    /**
     * Does something with a confirmation, after asking for one where there is none.
     *
     * @param {Action} action
     * @param {string} id
     * @param {(proof: Proof) => Promise<void>} act
     * @throws ApiError
     */
    async open(action, id, act) {
      try {
        const proof = confirmation.proof() ?? (await confirm(action, id))
        if (proof === undefined) return
        await act(proof)
        showOpen()
      } catch (error) {
        // What is shown now belongs to the question that came after.
        if (error instanceof CancelledError && error.isReplaced) return
        // Nothing was confirmed, or it counts no more.
        lock()
        if (error instanceof CancelledError) return
        const isOver = error instanceof ApiError && error.code === 'confirmation_required'
        if (!isOver) throw error
        state.textContent = t('lock.over')
      }
    },
  }
}
