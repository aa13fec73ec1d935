import { make, withName } from './_kit/dom.js'

/**
 * @typedef {object} Field
 * @property {HTMLElement} root
 * @property {HTMLInputElement} input
 * @property {(text: string) => void} fail shows what is wrong and moves focus there; empty: clears it
 */

/**
 * @param {{
 *   id: string
 *   label: string
 *   hint?: string
 *   attributes?: Record<string, string>
 *   after?: readonly Node[]
 *   beside?: readonly Node[]
 * }} about `beside`: in the box of the input; `after`: between the box and the message
 * @returns {Field}
 */
export function makeField({ id, label, hint = '', attributes = {}, after = [], beside = [] }) {
  const described = hint === '' ? `${id}-error` : `${id}-hint ${id}-error`
  const input = make('input', {
    class: 'field__input',
    id,
    'aria-describedby': described,
    ...attributes,
  })
  const error = make('p', { class: 'field__error', id: `${id}-error`, role: 'alert' })
  const root = make(
    'div',
    { class: 'field' },
    make('label', { class: 'field__label', for: id }, label),
    ...(hint === '' ? [] : [make('p', { class: 'field__hint', id: `${id}-hint` }, hint)]),
    make('div', { class: 'field__box' }, input, ...beside),
    ...after,
    error,
  )
  return {
    root,
    input,
    fail: (text) => {
      error.textContent = text
      if (text === '') {
        input.removeAttribute('aria-invalid')
      } else {
        input.setAttribute('aria-invalid', 'true')
        input.focus()
      }
    },
  }
}

/**
 * @param {string} href
 * @param {import('./_kit/texts.js').Translate} t
 */
export function wayElsewhere(href, t) {
  return make(
    'a',
    { class: 'button', href },
    ...withName(t, 'profile.elsewhere', new URL(href).host),
  )
}

/**
 * @param {{ id: string, label: string, hint?: string, autocomplete: string, after?: readonly Node[] }} about
 * @param {import('./_kit/texts.js').Translate} t
 * @returns {Field & { hide: () => void }}
 */
export function makePassphrase({ autocomplete, ...about }, t) {
  const toggle = make('button', { class: 'field__toggle', type: 'button' })
  const field = makeField({
    ...about,
    beside: [toggle],
    attributes: {
      type: 'password',
      autocomplete,
      autocapitalize: 'none',
      spellcheck: 'false',
      maxlength: '1024',
      required: '',
    },
  })
  /** @param {boolean} shown */
  const setShown = (shown) => {
    field.input.type = shown ? 'text' : 'password'
    toggle.textContent = t(shown ? 'field.hide' : 'field.show')
    toggle.setAttribute('aria-label', `${toggle.textContent}: ${about.label}`)
  }
  toggle.addEventListener('click', () => {
    setShown(field.input.type === 'password')
    field.input.focus()
  })
  setShown(false)
  return { ...field, hide: () => setShown(false) }
}

/**
 * @param {{ id: string, label: string, hint?: string, isNumeric: boolean }} about
 */
export function makeCode({ isNumeric, ...about }) {
  return makeField({
    ...about,
    attributes: {
      type: 'text',
      autocomplete: 'one-time-code',
      autocapitalize: 'none',
      spellcheck: 'false',
      maxlength: '20',
      required: '',
      dir: 'ltr',
      ...(isNumeric ? { inputmode: 'numeric' } : {}),
    },
  })
}

/**
 * Runs something once behind a button, which shows it.
 *
 * @param {HTMLButtonElement} button
 * @param {string} label
 * @param {() => Promise<unknown>} act
 */
export async function whileBusy(button, label, act) {
  if (button.disabled) return
  const before = button.textContent ?? ''
  button.textContent = label
  button.disabled = true
  button.setAttribute('aria-busy', 'true')
  try {
    await act()
  } finally {
    button.textContent = before
    button.disabled = false
    button.removeAttribute('aria-busy')
  }
}

/** Lets the browser paint before it starts to calculate. */
export const painted = () =>
  new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)))
