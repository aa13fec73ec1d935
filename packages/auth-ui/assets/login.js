import { canDerive, derivePassphrase } from './derive.js'
import { busy, element, enableShowButtons, painted, send, setFieldError } from './form.js'

const form = element('#login', HTMLFormElement)
const input = element('#passphrase', HTMLInputElement)
const button = element('#login button[type="submit"]', HTMLButtonElement)
const redirect = element('#login input[name="redirect"]', HTMLInputElement)

/**
 * An app that was sent here keeps its place in its own address after `#`, which only this page can see.
 *
 * @param {string} target
 */
function withFragment(target) {
  if (target === '' || location.hash.length < 2) return target
  const end = target.indexOf('#')
  return (end === -1 ? target : target.slice(0, end)) + location.hash
}

async function logIn() {
  const { salt = '', iterations = '' } = form.dataset
  const done = busy(button, form.dataset['busy'] ?? '')
  setFieldError(input, '')
  await painted()
  const passphrase = await derivePassphrase(input.value, salt, Number(iterations))
  const problem = await send(form, { passphrase, redirect: withFragment(redirect.value) })
  input.value = ''
  if (problem === undefined) return
  done()
  setFieldError(input, problem.text)
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  if (button.disabled) return
  if (input.value === '') {
    setFieldError(input, form.dataset['empty'] ?? '')
    return
  }
  logIn().catch(() => location.reload())
})

// A page taken back from the browser's history must not show a button that is still busy, or an old passphrase.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})

enableShowButtons()
if (canDerive()) button.disabled = false
else element('#insecure', HTMLElement).hidden = false
