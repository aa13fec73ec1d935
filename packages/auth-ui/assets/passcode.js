/** The second step: a code, or a passkey. Without a script the code goes as a plain form. */
import { clockText, countDown, isSaid } from './countdown.js'
import { busy, element, send, setFieldError } from './form.js'
import './once.js'
import { keepTrustedDeviceToken } from './trusted-device.js'
import { browserSupportsWebAuthn, startAuthentication } from './webauthn.js'

/** A mail under way is worth waiting for: the code in it dies when a new one is asked for. */
const RESEND_WAIT_MS = 30_000

const form = element('#passcode-form', HTMLFormElement)
const input = document.querySelector('#passcode')
const submit = form.querySelector('button[type="submit"]')
const passkey = document.querySelector('#passkey')

// A code that was sent again came with the answer to a form: loading the page again must not ask for yet another one.
if (location.pathname !== '/auth/twofactor') {
  const token = element('input[name="two-factor-token"]', HTMLInputElement, form).value
  history.replaceState(null, '', `/auth/twofactor?two_factor_token=${encodeURIComponent(token)}`)
}

/** Nothing on this page answers any more: what is left is to start again. */
function showExpired() {
  element('#open', HTMLElement).hidden = true
  // It asks for a code that nobody takes any more.
  element('#lead', HTMLElement).hidden = true
  const expired = element('#expired', HTMLElement)
  expired.hidden = false
  expired.querySelector('a')?.focus()
}

/**
 * @param {HTMLButtonElement} button
 * @param {string} label while it runs
 * @param {Record<string, string>} fields
 * @param {(text: string, code: string) => void} refuse
 */
async function answer(button, label, fields, refuse) {
  const done = busy(button, label)
  const problem = await send(form, fields, (body) =>
    keepTrustedDeviceToken(body['two_factor_trusted_device_token']),
  )
  if (problem === undefined) return
  done()
  if (problem.code === 'two_factor_expired' || problem.code === 'two_factor_off') showExpired()
  else refuse(problem.text, problem.code)
}

if (input instanceof HTMLInputElement && submit instanceof HTMLButtonElement) {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (submit.disabled) return
    const passcode = input.value.replace(/\s/gu, '')
    if (passcode === '') {
      setFieldError(input, form.dataset[isRecovery() ? 'emptyRecovery' : 'empty'] ?? '')
      return
    }
    setFieldError(input, '')
    const fields = { 'two-factor-passcode': passcode, 'two-factor-assertion': '' }
    void answer(submit, form.dataset['busy'] ?? '', fields, (text, code) => {
      const isWrong = code === 'two_factor_invalid' && isRecovery()
      setFieldError(input, isWrong ? (form.dataset['wrongRecovery'] ?? text) : text)
      input.select()
    })
  })
  letSwitchToRecovery(input)
}

if (passkey instanceof HTMLElement) {
  const canUse = browserSupportsWebAuthn()
  passkey.hidden = !canUse
  element('#no-passkey', HTMLElement).hidden = canUse
  const button = element('#use-passkey', HTMLButtonElement)
  const place = element('#passkey-error', HTMLElement)
  const refuse = () => {
    place.textContent = passkey.dataset['failed'] ?? ''
    button.focus()
  }
  button.addEventListener('click', async () => {
    place.textContent = ''
    const done = busy(button, passkey.dataset['busy'] ?? '')
    const optionsJSON = JSON.parse(passkey.dataset['options'] ?? '{}')
    const assertion = await startAuthentication({ optionsJSON }).catch(() => undefined)
    done()
    if (assertion === undefined) {
      refuse()
      return
    }
    const fields = { 'two-factor-passcode': '', 'two-factor-assertion': JSON.stringify(assertion) }
    await answer(button, passkey.dataset['busy'] ?? '', fields, refuse)
  })
  if (canUse) button.focus()
  else if (input instanceof HTMLInputElement) input.focus()
}

/**
 * Recovery codes have letters, the others only digits: a phone shows the right keys for what was chosen, and every text
 * about the code says what it takes.
 *
 * @param {HTMLInputElement} field
 */
function letSwitchToRecovery(field) {
  const button = document.querySelector('#use-recovery')
  if (!(button instanceof HTMLButtonElement)) return
  /** @param {'digits' | 'recovery'} kind */
  const show = (kind) => {
    field.inputMode = kind === 'digits' ? 'numeric' : 'text'
    field.autocomplete = kind === 'digits' ? 'one-time-code' : 'off'
    for (const text of document.querySelectorAll('[data-digits][data-recovery]'))
      if (text instanceof HTMLElement) text.textContent = text.dataset[kind] ?? ''
    form.dataset['shown'] = kind
  }
  button.addEventListener('click', () => {
    show(isRecovery() ? 'digits' : 'recovery')
    field.value = ''
    setFieldError(field, '')
    field.focus()
  })
  element('#recovery-hint', HTMLElement).hidden = true
  button.hidden = false
  show('digits')
}

/** Whether the owner chose to type a recovery code. */
function isRecovery() {
  return form.dataset['shown'] === 'recovery'
}

const time = element('#time', HTMLElement)
const said = element('#time-said', HTMLElement)
countDown(
  Number(time.dataset['endsIn']),
  (leftS) => {
    const text = (time.dataset['text'] ?? '').replace('{time}', clockText(leftS))
    time.textContent = text
    if (isSaid(leftS)) said.textContent = text
  },
  showExpired,
)

const resend = document.querySelector('#resend')
if (resend instanceof HTMLFormElement) {
  const button = element('button', HTMLButtonElement, resend)
  const label = button.textContent
  button.setAttribute('aria-disabled', 'true')
  resend.addEventListener(
    'submit',
    (event) => {
      if (button.getAttribute('aria-disabled') === 'true') event.preventDefault()
    },
    { capture: true },
  )
  countDown(
    RESEND_WAIT_MS,
    (leftS) => {
      button.textContent = (button.dataset['wait'] ?? '').replace('{seconds}', String(leftS))
    },
    () => {
      button.textContent = label
      button.removeAttribute('aria-disabled')
    },
  )
}
