import { busy, element } from './form.js'

/** A target that is another program leaves this page where it is: after a while it can be answered again. */
const AGAIN_MS = 8000

const form = element('#consent', HTMLFormElement)
const button = element('#consent button[type="submit"]', HTMLButtonElement)

// The form is sent by the browser itself, since it may end in another program: only a second press is kept away.
form.addEventListener('submit', (event) => {
  if (form.dataset['sent'] === 'yes') {
    event.preventDefault()
    return
  }
  form.dataset['sent'] = 'yes'
  setTimeout(() => {
    const done = busy(button, form.dataset['busy'] ?? '')
    setTimeout(() => {
      done()
      form.dataset['sent'] = 'no'
    }, AGAIN_MS)
  }, 0)
})

// After "back" the page can be answered again.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})
