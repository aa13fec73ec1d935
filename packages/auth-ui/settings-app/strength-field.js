import { make } from './_kit/dom.js'
import { judgeStrength } from './_kit/strength.js'

/** @typedef {import('./fields.js').Field} Field */

/**
 * How strong what is typed is; `watch` it once the field exists.
 *
 * @param {import('./_kit/texts.js').Translate} t
 * @param {readonly string[]} known what anybody knows of the owner
 */
export function makeStrength(t, known) {
  const judge = judgeStrength(known)
  const text = make('p', { class: 'strength__text', role: 'status' })
  const bar = make(
    'span',
    { class: 'strength__bar', 'aria-hidden': 'true' },
    ...[1, 2, 3].map(() => make('span', {})),
  )
  const root = make('div', { class: 'strength' }, bar, text)
  /** @param {string} typed */
  const show = (typed) => {
    const strength = judge.of(typed)
    root.dataset['strength'] = strength.level
    const said = t(`strength.${wordsOf(strength)}`)
    if (text.textContent !== said) text.textContent = said
  }
  show('')
  return {
    root,
    judge,
    /** @param {Field} field */
    watch: ({ input, fail }) => {
      // Only whoever chooses a passphrase needs what is known of them.
      input.addEventListener('focus', () => void judge.load().then(() => show(input.value)))
      input.addEventListener('input', () => {
        show(input.value)
        const isWeak = judge.of(input.value).level === 'weak'
        if (input.getAttribute('aria-invalid') === 'true' && !isWeak) fail('')
      })
    },
  }
}

/**
 * The last part of the key that says so.
 *
 * @param {import('./_kit/strength.js').Strength} strength
 */
export function wordsOf({ level, reason }) {
  return level === 'weak' && reason !== 'short' ? `weak.${reason}` : level
}
