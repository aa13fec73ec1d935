/** Forms that the browser sends itself: a press shows at once that it was taken, and a second one does nothing. */
import { busy, element } from './form.js'

/** A target that is another program leaves this page where it is: after a while it can be answered again. */
const AGAIN_MS = 8000

/** @param {HTMLFormElement} form with the busy label in `data-once` */
function guard(form) {
  const button = element('button[type="submit"]', HTMLButtonElement, form)
  form.addEventListener('submit', (event) => {
    if (event.defaultPrevented) return
    if (form.dataset['sent'] === 'yes') {
      event.preventDefault()
      return
    }
    form.dataset['sent'] = 'yes'
    const pressed = event.submitter instanceof HTMLButtonElement ? event.submitter : button
    const label = pressed === button ? (form.dataset['once'] ?? '') : pressed.innerText
    // After the browser has read the form: a disabled button would not be part of it.
    setTimeout(() => {
      const done = busy(pressed, label)
      setTimeout(() => {
        done()
        form.dataset['sent'] = 'no'
      }, AGAIN_MS)
    }, 0)
  })
}

for (const form of document.querySelectorAll('form[data-once]'))
  if (form instanceof HTMLFormElement) guard(form)

// After "back" the page can be answered again.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})
