import { make } from './_kit/dom.js'

/** How long a button says that it copied. */
const SAID_MS = 4000

/**
 * A button that copies a text and says so in its own place.
 *
 * @param {string} text
 * @param {string} label
 * @param {import('./main.js').Tools} tools
 */
export function copyButton(text, label, { t, announce }) {
  const button = make('button', { class: 'button', type: 'button' }, label)
  /** @type {number | undefined} */
  let timer
  /** @param {string} said */
  const say = (said) => {
    button.textContent = said
    announce(said)
    clearTimeout(timer)
    timer = window.setTimeout(() => {
      button.textContent = label
    }, SAID_MS)
  }
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(text).then(
      () => say(t('app.copied')),
      () => say(t('app.notCopied')),
    )
  })
  return button
}

/**
 * A button that saves a text as a file; nothing leaves this browser.
 *
 * @param {string} text
 * @param {string} name of the file
 * @param {string} label
 */
export function saveButton(text, name, label) {
  const button = make('button', { class: 'button', type: 'button' }, label)
  button.addEventListener('click', () => {
    const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
    const link = make('a', { href: url, download: name })
    link.click()
    setTimeout(() => URL.revokeObjectURL(url), 0)
  })
  return button
}
