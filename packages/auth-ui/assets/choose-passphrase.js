import { canDerive, derivePassphrase, NEW_PASSPHRASE_ITERATIONS } from './derive.js'
import {
  busy,
  element,
  enableShowButtons,
  guardPassphrase,
  painted,
  send,
  setFieldError,
} from './form.js'
import { givesAway, judgeStrength } from './strength.js'

/** Answers after which this page has nothing left to ask: loading it again says so, and where to go. */
const OVER = new Set(['already_onboarded', 'invalid_token', 'onboarding_needed'])

const form = element('#choose-passphrase', HTMLFormElement)
const input = element('#passphrase', HTMLInputElement)
const hint = element('#hint', HTMLInputElement)
const button = element('#choose-passphrase button[type="submit"]', HTMLButtonElement)
const meter = element('#strength', HTMLElement)
const meterText = element('#strength-text', HTMLElement)
/** Anybody who opens the page sees whose space it is: that is no secret. */
const strength = judgeStrength([form.dataset['domain'] ?? '', form.dataset['name'] ?? ''])

/** @param {HTMLElement} of says each strength, and why one is weak */
function wordsFor({ dataset }) {
  const { level, reason } = strength.of(input.value)
  if (level !== 'weak' || reason === 'short') return dataset[level] ?? ''
  return dataset[`weak${reason.charAt(0).toUpperCase()}${reason.slice(1)}`] ?? ''
}

function showStrength() {
  const { level } = strength.of(input.value)
  meter.dataset['strength'] = level
  const text = wordsFor(meterText)
  if (meterText.textContent !== text) meterText.textContent = text
  if (level !== 'weak') setFieldErrorQuietly()
}

/** Takes a message away once what it asked for is done, without moving focus. */
function setFieldErrorQuietly() {
  if (input.getAttribute('aria-invalid') === 'true') setFieldError(input, '')
}

function isReady() {
  const { empty = '', hintEqual = '' } = form.dataset
  const { level } = strength.of(input.value)
  const given = givesAway(hint.value, input.value)
  setFieldError(hint, given ? hintEqual : '')
  setFieldError(input, level === 'none' ? empty : level === 'weak' ? wordsFor(form) : '')
  return level !== 'none' && level !== 'weak' && !given
}

/** What is sent is judged by everything that is known of passphrases, also when the owner was faster than the network. */
async function isJudgedReady() {
  button.disabled = true
  await strength.load()
  button.disabled = false
  return isReady()
}

async function choose() {
  const done = busy(button, form.dataset['busy'] ?? '')
  await painted()
  const iterations = NEW_PASSPHRASE_ITERATIONS
  const chosen = input.value.normalize('NFC')
  const passphrase = await derivePassphrase(chosen, form.dataset['salt'] ?? '', iterations)
  const problem = await send(form, { passphrase, iterations: String(iterations) })
  // Password managers read the field when the page is left.
  if (problem === undefined) return
  if (OVER.has(problem.code)) {
    location.reload()
    return
  }
  done()
  setFieldError(problem.code === 'invalid_hint' ? hint : input, problem.text)
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  if (button.disabled) return
  isJudgedReady()
    .then((ready) => (ready ? choose() : undefined))
    .catch(() => location.reload())
})

input.addEventListener('input', showStrength)
hint.addEventListener('input', () => {
  if (!givesAway(hint.value, input.value)) setFieldError(hint, '')
})
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})

guardPassphrase(input)
enableShowButtons()
showStrength()
void strength.load().then(showStrength)
if (canDerive()) button.disabled = false
else element('#insecure', HTMLElement).hidden = false
