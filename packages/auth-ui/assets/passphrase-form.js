/** Forms that ask for the passphrase: login, confirmation, the second half of a magic link. */
import { canDerive, derivePassphrase, otherSpelling } from './derive.js'
import {
  busy,
  element,
  enableShowButtons,
  guardPassphrase,
  painted,
  send,
  setFieldError,
} from './form.js'
import './once.js'
import { mayOfferPasskey } from './passkey-memory.js'
import { targetOf } from './place.js'
import { trustedDeviceToken } from './trusted-device.js'
import { platformAuthenticatorIsAvailable } from './webauthn.js'

/** Answers after which this page has nothing left to ask: loading it again says so, and where to go. */
const OVER = new Set(['invalid_magic_code', 'magic_link_disabled', 'onboarding_needed'])

const form = element('#passphrase-form', HTMLFormElement)
const input = element('#passphrase', HTMLInputElement)
const button = element('#passphrase-form button[type="submit"]', HTMLButtonElement)

/**
 * Whoever could log in faster next time is asked once, on the way to an app. Never on the way to a second step, in a
 * pop-up or for an authorization.
 *
 * @param {string} redirect
 * @returns {Promise<string>}
 */
async function leadOn(redirect) {
  const isWelcome = 'offersPasskey' in form.dataset && globalThis.opener === null
  if (
    !isWelcome ||
    new URL(redirect, location.href).pathname === '/auth/twofactor' ||
    !mayOfferPasskey()
  ) {
    return redirect
  }
  if (!(await platformAuthenticatorIsAvailable())) return redirect
  return `/auth/passkey/offer?redirect=${encodeURIComponent(targetOf(form))}`
}

/** @param {string} typed */
async function sendDerived(typed) {
  const { salt = '', iterations = '' } = form.dataset
  // Once, for an owner whose hash another program made of the passphrase itself.
  const raw = 'import' in form.dataset ? { passphrase_raw: typed } : {}
  const fields = {
    ...raw,
    passphrase: await derivePassphrase(typed, salt, Number(iterations)),
    redirect: targetOf(form),
    'trusted-device-token': trustedDeviceToken(),
  }
  return send(form, fields, undefined, { leadOn })
}

/**
 * A passphrase that was chosen anew elsewhere may be derived otherwise than this page was told when it was opened.
 *
 * @returns {Promise<boolean>} whether the form knows better now
 */
async function learnsDerivation() {
  const response = await fetch('/public/prelogin').catch(() => undefined)
  if (response?.ok !== true) return false
  const { salt = '', KdfIterations = 0 } = await response.json().catch(() => ({}))
  const known = form.dataset
  if (salt === '' || (salt === known['salt'] && String(KdfIterations) === known['iterations'])) {
    return false
  }
  known['salt'] = salt
  known['iterations'] = String(KdfIterations)
  return true
}

/** @param {string} typed */
async function tryPassphrase(typed) {
  let problem = await sendDerived(typed)
  if (problem?.code === 'invalid_passphrase' && (await learnsDerivation())) {
    problem = await sendDerived(typed)
  }
  const other = otherSpelling(typed)
  return problem?.code === 'invalid_passphrase' && other !== typed ? sendDerived(other) : problem
}

async function submit() {
  const done = busy(button, form.dataset['busy'] ?? '')
  setFieldError(input, '')
  await painted()
  const problem = await tryPassphrase(input.value)
  // Password managers read the field when the page is left.
  if (problem === undefined) return
  input.value = ''
  if (OVER.has(problem.code)) {
    location.reload()
    return
  }
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
  submit().catch(() => location.reload())
})

for (const other of document.querySelectorAll('form[data-once][data-keeps-place]')) {
  if (!(other instanceof HTMLFormElement)) continue
  other.addEventListener('submit', () => {
    element('input[name="redirect"]', HTMLInputElement, other).value = targetOf(other)
  })
}

guardPassphrase(input)
enableShowButtons()
if (canDerive()) button.disabled = false
else element('#insecure', HTMLElement).hidden = false
