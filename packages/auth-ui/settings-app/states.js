import { ApiError } from './_kit/api.js'
import { make } from './_kit/dom.js'

/** @typedef {import('./_kit/texts.js').Translate} Translate */

/** What is there sooner needs no word about it. */
const QUIET_MS = 200

/**
 * Says that something loads, once that takes longer than one notices.
 *
 * @param {HTMLElement} place
 * @param {Translate} t
 * @returns {() => void} no longer
 */
export function waiting(place, t) {
  const timer = setTimeout(() => {
    place.replaceChildren(
      make(
        'div',
        { class: 'loading', role: 'status' },
        make('span', { class: 'visually-hidden' }, t('app.loading')),
        ...[1, 2, 3].map(() => make('span', { class: 'loading__row', 'aria-hidden': 'true' })),
      ),
    )
  }, QUIET_MS)
  return () => clearTimeout(timer)
}

/**
 * What could not be loaded, and the way to try again.
 *
 * @param {unknown} error
 * @param {Translate} t
 * @param {() => Promise<unknown>} retry
 */
export function failure(error, t, retry) {
  const isOffline = error instanceof ApiError && error.status === 0
  const again = make('button', { class: 'button', type: 'button' }, t('app.retry'))
  again.addEventListener('click', () => {
    again.disabled = true
    again.setAttribute('aria-busy', 'true')
    void retry()
  })
  return make(
    'div',
    { class: 'failure notice notice--danger' },
    make('p', { role: 'alert' }, t(isOffline ? 'app.offline' : 'app.problem')),
    again,
  )
}

/**
 * A part of a section that loads by itself: what fails in it leaves the rest as it is.
 *
 * @param {Translate} t
 * @param {() => Promise<readonly Node[]>} load
 */
export async function part(t, load) {
  const place = make('div', { class: 'part', tabindex: '-1' })
  const fill = async () => {
    try {
      place.replaceChildren(...(await load()))
    } catch (error) {
      place.replaceChildren(
        failure(error, t, async () => {
          await fill()
          place.focus()
        }),
      )
    }
  }
  await fill()
  return place
}

/**
 * Where there is nothing yet: one sentence, and the one way on.
 *
 * @param {string} sentence
 * @param {Node} [way]
 */
export function nothing(sentence, way) {
  return make(
    'div',
    { class: 'empty' },
    make('p', {}, sentence),
    ...(way === undefined ? [] : [way]),
  )
}

/**
 * Says beside a control that it was saved.
 *
 * @returns {{ root: HTMLElement, say: (text: string) => void }}
 */
export function said() {
  const root = make('span', { class: 'said', role: 'status' })
  return {
    root,
    say: (text) => {
      root.textContent = text
    },
  }
}
