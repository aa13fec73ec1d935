import { make } from './_kit/dom.js'

/**
 * Something that is on or off; `act` is told when it was changed.
 *
 * @param {string} label
 * @param {boolean} isOn
 * @param {(input: HTMLInputElement) => Promise<void>} act
 */
export function makeCheck(label, isOn, act) {
  const input = make('input', { type: 'checkbox' })
  input.checked = isOn
  input.addEventListener('change', () => void act(input))
  return make('label', { class: 'check' }, input, make('span', { class: 'check__text' }, label))
}

/**
 * One of several; `act` is told when another one was chosen, and which one was before.
 *
 * @param {{
 *   label: string
 *   value: string
 *   options: readonly (readonly string[])[]
 *   act: (select: HTMLSelectElement, before: string) => Promise<void>
 * }} about
 */
export function makeSelect({ label, value, options, act }) {
  const select = make(
    'select',
    { class: 'field__input' },
    ...options.map(([option = '', words = '']) => make('option', { value: option }, words)),
  )
  select.value = value
  let before = value
  select.addEventListener('change', () => {
    void act(select, before).then(() => {
      before = select.value
    })
  })
  return make(
    'label',
    { class: 'choice' },
    make('span', { class: 'choice__label' }, label),
    make('span', { class: 'field__box' }, select),
  )
}
