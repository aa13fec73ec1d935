import { busy, element, setFieldError } from './form.js'
import { browserSupportsWebAuthn, startRegistration } from './webauthn.js'

/** What older authenticators can. */
const EASED = { residentKey: 'preferred', userVerification: 'preferred' }

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

/** @param {boolean} isSecondStepOnly made as older authenticators can */
async function create(isSecondStepOnly) {
  const { busy: label = '', refused = '', known = '', options = '{}' } = form.dataset
  showProblem('')
  const done = busy(button, label)
  try {
    const optionsJSON = JSON.parse(options)
    if (isSecondStepOnly) optionsJSON.authenticatorSelection = EASED
    credential.value = JSON.stringify(await startRegistration({ optionsJSON }))
  } catch (error) {
    done()
    const isKnown = error instanceof Error && error.name === 'InvalidStateError'
    showProblem(isKnown ? known : refused)
    // What refuses to verify its user, or to be found by itself, can still be a second step.
    if (!isKnown) element('#second-step-only', HTMLElement).hidden = false
    button.focus()
    return
  }
  if (isSecondStepOnly) {
    const field = document.createElement('input')
    Object.assign(field, { type: 'hidden', name: 'second_step_only', value: '1' })
    form.append(field)
  }
  // Sent by the browser itself, which follows the answer to the settings.
  form.submit()
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  if (button.disabled) return
  const isNamed = label.value.trim() !== ''
  setFieldError(label, isNamed ? '' : (form.dataset['empty'] ?? ''))
  const { submitter } = event
  if (isNamed) void create(submitter instanceof HTMLButtonElement && submitter.value === '1')
})

// A page taken back from the browser's history has a used credential in it.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})

if (browserSupportsWebAuthn()) button.disabled = false
else element('#unsupported', HTMLElement).hidden = false
