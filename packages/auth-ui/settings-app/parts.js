import { make } from './_kit/dom.js'

/**
 * Shows what the address named: opens it, or moves focus to its heading.
 *
 * @param {HTMLElement} content
 * @param {{ part: string, highlight: string }} place
 */
export function openPart(content, { part, highlight }) {
  const wanted = highlight === '' ? part : highlight
  if (wanted === '') return
  const target = content.querySelector(`[data-part="${CSS.escape(wanted)}"]`)
  if (!(target instanceof HTMLElement)) return
  const opener = target.querySelector('[data-opens]')
  const details = target.querySelector('details')
  const heading = target.querySelector('h2, h3')
  if (highlight !== '') target.classList.add('is-named')
  if (details !== null) details.open = true
  if (opener instanceof HTMLElement) opener.click()
  else if (heading instanceof HTMLElement) {
    heading.tabIndex = -1
    heading.focus({ preventScroll: true })
  }
  target.scrollIntoView({ block: highlight === '' ? 'start' : 'center' })
}

/**
 * What a row says: its name with a badge, a sentence, and more.
 *
 * @param {{ title: string, text: string, isOn: string, more?: readonly Node[] }} about `isOn`: words of the badge
 */
export function rowText({ title, text, isOn, more = [] }) {
  return make(
    'div',
    { class: 'item__text' },
    make(
      'h3',
      { class: 'item__name' },
      title,
      ...(isOn === '' ? [] : [' ', make('span', { class: 'badge' }, isOn)]),
    ),
    make('p', { class: 'muted small' }, text),
    ...more,
  )
}

/**
 * Something settled in one row, with the form that changes it behind a button.
 *
 * @param {import('./main.js').Tools} tools
 * @param {{
 *   name: string
 *   title: string
 *   text: string
 *   isOn?: string
 *   button: string
 *   form: () => HTMLFormElement | Promise<HTMLFormElement>
 *   more?: readonly Node[]
 * }} about `isOn`: words of the badge; `form` is made anew each time, its `.form__buttons` gets a way back
 */
export function foldedCard(
  { api, t, warn },
  { name, title, text, isOn = '', button, form, more = [] },
) {
  const open = make('button', { class: 'button', type: 'button', 'data-opens': '' }, button)
  const card = make('li', { class: 'item item--plain item--factor', 'data-part': name })
  const row = [
    rowText({ title, text, isOn }),
    make('div', { class: 'item__buttons' }, open, ...more),
  ]
  open.addEventListener('click', async () => {
    open.disabled = true
    let filled
    try {
      filled = await form()
    } catch {
      // Its files could not be fetched: without a session this leads to the login page and back.
      await api.renew().catch(() => {})
      warn(t('app.offline'))
      return
    } finally {
      open.disabled = false
    }
    const back = make('button', { class: 'button', type: 'button' }, t('app.cancel'))
    back.addEventListener('click', () => {
      card.replaceChildren(...row)
      open.focus()
    })
    filled.querySelector('.form__buttons')?.append(back)
    card.replaceChildren(filled)
    const first = filled.querySelector('input:not([readonly])')
    if (first instanceof HTMLElement) first.focus()
  })
  card.replaceChildren(...row)
  return card
}
