/** Forms without a script of their own: a press shows at once that it was taken, and a second one does nothing. */
import { busy, element } from './form.js'

/** A target that is another program leaves this page where it is: after a while it can be answered again. */
const AGAIN_MS = 8000

/** Any other scheme could run a script here, or start a program. */
const WEB = /^https?:\/\//iu

/** @param {HTMLFormElement} form with the busy label in `data-once` */
function guard(form) {
  const button = element('button[type="submit"]', HTMLButtonElement, form)
  form.addEventListener('submit', (event) => {
    if (event.defaultPrevented) return
    const isData = leavesForWeb(form)
    // Never without a press: an event of another script would not send a form either.
    if (form.dataset['sent'] === 'yes' || (isData && !event.isTrusted)) {
      event.preventDefault()
      return
    }
    form.dataset['sent'] = 'yes'
    const pressed = event.submitter instanceof HTMLButtonElement ? event.submitter : button
    const label = pressed === button ? (form.dataset['once'] ?? '') : pressed.innerText
    const outcome = isData ? sendAnswer(form, pressed) : undefined
    if (isData) event.preventDefault()
    // After the browser has read the form: a disabled button would not be part of it.
    setTimeout(async () => {
      const done = busy(pressed, label)
      const again = () => {
        clearTimeout(timer)
        done()
        form.dataset['sent'] = 'no'
      }
      const timer = setTimeout(again, AGAIN_MS)
      const came = await outcome
      if (came === undefined || came === 'left') return
      again()
      if (came === 'stays') return
      form.dataset['posts'] = 'yes'
      form.requestSubmit(pressed)
    }, 0)
  })
}

/**
 * Whether the form is the answer to a client at a web address. Browsers hold every hop of a redirect that a form causes
 * against `form-action`, and no policy can name where the client leads on: its answer is sent as data.
 *
 * @param {HTMLFormElement} form
 */
function leavesForWeb(form) {
  if (form.dataset['posts'] === 'yes') return false
  if (!new URL(form.action).pathname.startsWith('/auth/authorize')) return false
  const target = form.querySelector('input[name="redirect_uri"]')
  // A sharing without a client ends at an app of the same owner.
  return !(target instanceof HTMLInputElement) || WEB.test(target.value)
}

/**
 * Sends the answer of the owner as data and goes where it leads.
 *
 * @param {HTMLFormElement} form
 * @param {HTMLButtonElement} pressed
 * @returns {Promise<'left' | 'page' | 'stays'>} `page`: the server has words for the owner, which the form's own post shows
 */
async function sendAnswer(form, pressed) {
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form))
    if (typeof value === 'string') body.append(name, value)
  if (pressed.name !== '') body.append(pressed.name, pressed.value)
  const headers = { Accept: 'application/json' }
  const request = { method: form.method, headers, body, redirect: /** @type {const} */ ('manual') }
  const response = await fetch(form.action, request).catch(() => undefined)
  if (response === undefined || !response.ok) return 'page'
  /** @type {Record<string, unknown>} */
  const { redirect } = await response.json().catch(() => ({}))
  if (typeof redirect !== 'string' || !WEB.test(redirect)) return 'stays'
  location.assign(redirect)
  return 'left'
}

for (const form of document.querySelectorAll('form[data-once]'))
  if (form instanceof HTMLFormElement) guard(form)

// After "back" the page can be answered again.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})
