import { ask } from './ask.js'
import { make } from './_kit/dom.js'
import { changeFactor } from './factor-changes.js'
import { countFactors } from './factors-data.js'
import { whileBusy } from './fields.js'
import { isRefusal, wordsFor } from './words.js'

/** @typedef {import('./factors-data.js').FactorsAbout} FactorsAbout */
/** @typedef {import('./factor-changes.js').Change} Change */

/**
 * Asks before something is replaced.
 *
 * @param {import('./main.js').Tools} tools
 * @param {{ title: string, text: string, confirm: string }} words
 * @returns {() => Promise<boolean>}
 */
export function changing(tools, { title, text, confirm }) {
  return () => ask({ title: [title], text, confirm, ...common(tools) })
}

/** @param {import('./main.js').Tools} tools */
function common({ t }) {
  return {
    busy: t('app.oneMoment'),
    cancel: t('app.cancel'),
    failed: t('app.failed'),
    // The change itself follows the confirmation.
    act: async () => {},
  }
}

/**
 * A button that changes something, after a question if there is one.
 *
 * @param {import('./main.js').Tools} tools
 * @param {string} label
 * @param {Change} change
 * @param {() => Promise<boolean>} [question]
 */
export function act(tools, label, change, question = async () => true) {
  const button = make('button', { class: 'button', type: 'button' }, label)
  button.addEventListener('click', () => void press(button, change, question, tools))
  return button
}

/**
 * @param {HTMLButtonElement} button
 * @param {Change} change
 * @param {() => Promise<boolean>} question
 * @param {import('./main.js').Tools} tools
 */
async function press(button, change, question, tools) {
  if (!(await question())) return
  tools.warn('')
  try {
    await whileBusy(button, tools.t('app.oneMoment'), async () => {
      const step = await changeFactor(change, tools, { isResumed: false })
      if (step !== undefined) tools.swap(step)
    })
  } catch (error) {
    tools.warn(wordsFor(error, tools.t))
    if (isRefusal(error, 'not_found')) tools.reload()
  }
}

/**
 * A button that takes a factor away, after naming what goes with it.
 *
 * @param {import('./main.js').Tools} tools
 * @param {FactorsAbout} factors
 * @param {'totp' | 'passkey' | 'mail' | 'recovery'} kind
 * @param {Change} change
 * @param {string} [name] of the passkey
 */
export function removal(tools, factors, kind, change, name = '') {
  const { t } = tools
  const left = afterRemoval(factors, kind)
  const isLast = kind !== 'recovery' && countFactors(left) === 0
  const losses = [
    t(`${kind}.loss`, { name, count: factors.recovery?.left ?? 0 }),
    ...(isLast && factors.recovery !== null
      ? [t('recovery.loss', { count: factors.recovery.left })]
      : []),
    ...(isLast ? [t('factors.loss.devices')] : []),
  ]
  const label = t(kind === 'mail' ? 'mail.off' : 'factor.remove')
  const button = make(
    'button',
    {
      class: 'button button--danger-quiet',
      type: 'button',
      'aria-label': t(`${kind}.remove.label`, { name }),
    },
    label,
  )
  const question = () =>
    ask({
      title: [t(`${kind}.remove.title`, { name })],
      text: t(isLast ? 'factors.remove.last' : 'factors.remove.text'),
      losses,
      confirm: label,
      ...common(tools),
    })
  button.addEventListener('click', () => void press(button, change, question, tools))
  return button
}

/** @param {FactorsAbout} factors @param {'totp' | 'passkey' | 'mail' | 'recovery'} kind @returns {FactorsAbout} */
function afterRemoval(factors, kind) {
  if (kind === 'totp') return { ...factors, totp: null }
  if (kind === 'mail') return { ...factors, mail: { ...factors.mail, enabled: false } }
  // For a passkey the caller leaves it out of the list.
  return kind === 'recovery' ? { ...factors, recovery: null } : factors
}
