import { canDerive, derivePassphrase, NEW_PASSPHRASE_ITERATIONS } from './derive.js'
import { busy, element, enableShowButtons, painted, send, setFieldError } from './form.js'
import { givesAway, strengthOf } from './strength.js'

/** Answers after which this page has nothing left to ask: loading it again says so, and where to go. */
const OVER = new Set(['already_onboarded', 'invalid_token', 'onboarding_needed'])

const form = element('#choose-passphrase', HTMLFormElement)
const input = element('#passphrase', HTMLInputElement)
const hint = element('#hint', HTMLInputElement)
const button = element('#choose-passphrase button[type="submit"]', HTMLButtonElement)
const meter = element('#strength', HTMLElement)
const meterText = element('#strength-text', HTMLElement)

function showStrength() {
  const strength = strengthOf(input.value)
  meter.dataset['strength'] = strength
  const text = meterText.dataset[strength] ?? ''
  if (meterText.textContent !== text) meterText.textContent = text
  if (strength !== 'weak') setFieldErrorQuietly()
}

/** Takes a message away once what it asked for is done, without moving focus. */
function setFieldErrorQuietly() {
  if (input.getAttribute('aria-invalid') === 'true') setFieldError(input, '')
}

function isReady() {
  const { empty = '', weak = '', hintEqual = '' } = form.dataset
  const strength = strengthOf(input.value)
  const given = givesAway(hint.value, input.value)
  setFieldError(hint, given ? hintEqual : '')
  setFieldError(input, strength === 'none' ? empty : strength === 'weak' ? weak : '')
  return strength !== 'none' && strength !== 'weak' && !given
}

async function choose() {
  const done = busy(button, form.dataset['busy'] ?? '')
  await painted()
  const iterations = NEW_PASSPHRASE_ITERATIONS
  const passphrase = await derivePassphrase(input.value, form.dataset['salt'] ?? '', iterations)
  const problem = await send(form, { passphrase, iterations: String(iterations) })
  if (problem === undefined) {
    input.value = ''
    return
  }
  if (OVER.has(problem.code)) {
    location.reload()
    return
  }
  done()
  setFieldError(problem.code === 'invalid_hint' ? hint : input, problem.text)
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  if (button.disabled || !isReady()) return
  choose().catch(() => location.reload())
})

input.addEventListener('input', showStrength)
hint.addEventListener('input', () => {
  if (!givesAway(hint.value, input.value)) setFieldError(hint, '')
})
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})

enableShowButtons()
showStrength()
if (canDerive()) button.disabled = false
else element('#insecure', HTMLElement).hidden = false
