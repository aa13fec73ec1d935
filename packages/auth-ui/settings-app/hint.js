import { make } from './_kit/dom.js'
import { makeField, whileBusy } from './fields.js'
import { foldedCard } from './parts.js'
import { isRefusal, wordsFor } from './words.js'

/**
 * The reminder: whether there is one, and a new one. What it says is never shown, it only goes out by mail.
 *
 * @param {import('./passphrase.js').Derivation} derivation
 * @param {import('./main.js').Tools} tools
 */
export function hintCard({ hint_defined: isSet = false }, tools) {
  const { t } = tools
  return foldedCard(tools, {
    name: 'reminder',
    title: t('hint.title'),
    text: t(isSet ? 'hint.set' : 'hint.none'),
    isOn: isSet ? t('factor.isOn') : '',
    button: t(isSet ? 'hint.change' : 'hint.add'),
    form: () => hintForm(isSet, tools),
  })
}

/** @param {boolean} isSet @param {import('./main.js').Tools} tools */
function hintForm(isSet, tools) {
  const { api, t, done } = tools
  const field = makeField({
    id: 'hint',
    label: t('hint.label'),
    hint: t('hint.about'),
    attributes: { type: 'text', maxlength: '512', autocomplete: 'off' },
  })
  const save = make('button', { class: 'button button--primary', type: 'submit' }, t('hint.save'))
  const remove = make(
    'button',
    { class: 'button button--danger-quiet', type: 'button' },
    t('hint.remove'),
  )
  const form = make(
    'form',
    { class: 'form', novalidate: '' },
    make('h3', {}, t('hint.title')),
    field.root,
    make('div', { class: 'form__buttons' }, save, ...(isSet ? [remove] : [])),
  )
  /** @param {unknown} error */
  const report = (error) => {
    if (isRefusal(error, 'invalid_hint')) field.fail(wordsFor(error, t))
    else tools.warn(wordsFor(error, t))
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const hint = field.input.value.trim()
    field.fail(hint === '' ? t('hint.empty') : '')
    if (hint === '') return
    whileBusy(save, t('app.saving'), async () => {
      await api.call('PUT', '/settings/hint', { hint })
      done(t('hint.saved'))
    }).catch(report)
  })
  remove.addEventListener('click', () => {
    whileBusy(remove, t('app.removing'), async () => {
      await api.call('PUT', '/settings/hint', { hint: '' })
      done(t('hint.removed'))
    }).catch(report)
  })
  return form
}
