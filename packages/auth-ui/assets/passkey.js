import { busy, element, setFieldError } from './form.js'
import { canMakePasskey, makePasskey } from './passkeys.js'

const form = element('#passkey-form', HTMLFormElement)
const label = element('#label', HTMLInputElement)
const credential = element('#passkey-form input[name="credential"]', HTMLInputElement)
const button = element('#passkey-form button[type="submit"]', HTMLButtonElement)
const problem = element('#problem', HTMLElement)

/** @param {string} text empty: nothing is wrong */
function showProblem(text) {
  problem.hidden = text === ''
  element('span', HTMLElement, problem).textContent = text
}

async function create() {
  const { busy: label = '', refused = '', known = '', options = '' } = form.dataset
  showProblem('')
  const done = busy(button, label)
  try {
    credential.value = await makePasskey(options)
  } catch (error) {
    done()
    const isKnown = error instanceof DOMException && error.name === 'InvalidStateError'
    showProblem(isKnown ? known : refused)
    button.focus()
    return
  }
  // Sent by the browser itself, which follows the answer to the settings.
  form.submit()
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  if (button.disabled) return
  const isNamed = label.value.trim() !== ''
  setFieldError(label, isNamed ? '' : (form.dataset['empty'] ?? ''))
  if (isNamed) void create()
})

// A page taken back from the browser's history has a used credential in it.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})

if (canMakePasskey()) button.disabled = false
else element('#unsupported', HTMLElement).hidden = false
