/**
 * A passkey in place of the passphrase: chosen in the browser's list beside the field, or asked for by a button. The
 * page looks the same whether the space has passkeys or not.
 */
import { busy, element, send } from './form.js'
import { notePasskey, wasPasskeyUsed } from './passkey-memory.js'
import { tellAccepted, tellUnknown } from './passkey-signals.js'
import { targetOf } from './place.js'
import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  WebAuthnAbortService,
} from './webauthn.js'

/** @typedef {import('@simplewebauthn/browser').PublicKeyCredentialRequestOptionsJSON} RequestOptions */

/** Before the five minutes of a challenge are over. */
const RENEW_MS = 240_000

const box = element('#passkey-login', HTMLElement)
const passphraseForm = element('#passphrase-form', HTMLFormElement)
const button = element('#passkey-button', HTMLButtonElement)
const link = element('#passkey-link', HTMLButtonElement)
const place = element('#passkey-error', HTMLElement)

/** @type {{ options: RequestOptions, at: number } | undefined} */
let given = parsed(box.dataset['options'])
/** Counts the times the browser's list was asked for: what an earlier one says later is not heard. */
let round = 0
/** @type {ReturnType<typeof setTimeout> | undefined} */
let renewal

/** @param {string | undefined} text */
function parsed(text) {
  return text === undefined || text === ''
    ? undefined
    : { options: /** @type {RequestOptions} */ (JSON.parse(text)), at: performance.now() }
}

/** @returns {Promise<RequestOptions | undefined>} undefined: nobody is reached, or not now */
async function currentOptions() {
  if (given !== undefined && performance.now() - given.at < RENEW_MS) return given.options
  given = 'options' in box.dataset ? await optionsOfPage() : await optionsForLogin()
  return given?.options
}

async function optionsForLogin() {
  const request = { method: 'POST', headers: { Accept: 'application/json' } }
  const response = await fetch('/auth/login/passkey/options', request).catch(() => undefined)
  return response?.ok === true ? parsed(await response.text()) : undefined
}

/** A page that brings its options along is asked for them again. */
async function optionsOfPage() {
  const response = await fetch(location.href, { headers: { Accept: 'text/html' } }).catch(
    () => undefined,
  )
  if (response?.ok !== true) return undefined
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  return parsed(page.querySelector('#passkey-login')?.getAttribute('data-options') ?? '')
}

/** Offers passkeys in the list of the browser, until one is chosen or something else happens. */
async function listen() {
  clearTimeout(renewal)
  round += 1
  const mine = round
  const options = await currentOptions()
  if (options === undefined || mine !== round) return
  renewal = setTimeout(() => void listen(), RENEW_MS)
  const answer = await startAuthentication({
    optionsJSON: options,
    useBrowserAutofill: true,
  }).catch(() => undefined)
  if (mine === round && answer !== undefined) await post(answer)
}

/** A request of its own, which ends that of the list. */
async function ask() {
  say('')
  stop()
  const done = both(box.dataset['busy'] ?? '')
  const options = await currentOptions()
  const answer =
    options === undefined
      ? undefined
      : await startAuthentication({ optionsJSON: options }).catch(() => undefined)
  done()
  if (answer === undefined) {
    refuse(box.dataset['failed'] ?? '')
    await listenIfPossible()
  } else await post(answer)
}

/** @param {import('@simplewebauthn/browser').AuthenticationResponseJSON} answer */
async function post(answer) {
  const done = both(box.dataset['busy'] ?? '')
  const longRun = passphraseForm.querySelector('input[name="long-run-session"]')
  const isLong = longRun instanceof HTMLInputElement && longRun.checked
  const rpId = given?.options.rpId ?? ''
  given = undefined
  const form = formOf({
    credential: JSON.stringify(answer),
    csrf_token: valueOf('csrf_token'),
    redirect: targetOf(passphraseForm),
    state: valueOf('state'),
    'long-run-session': isLong ? 'true' : '',
  })
  const problem = await send(form, {}, (body) => {
    notePasskey()
    void tellAccepted(body['passkeys'])
  })
  if (problem === undefined) return
  done()
  if (problem.code === 'passkey_unknown') await tellUnknown(rpId, answer.id)
  refuse(problem.text)
}

/** @param {string} name of a hidden field of the page's form; empty where it has none */
function valueOf(name) {
  const field = passphraseForm.elements.namedItem(name)
  return field instanceof HTMLInputElement ? field.value : ''
}

/**
 * The page has one form, that of the passphrase: what a passkey sends is made here.
 *
 * @param {Record<string, string>} fields those that are empty are left out
 */
function formOf(fields) {
  const form = document.createElement('form')
  form.action = box.dataset['action'] ?? ''
  for (const { name, value } of box.attributes)
    if (name.startsWith('data-')) form.setAttribute(name, value)
  for (const [name, value] of Object.entries(fields)) {
    if (value === '') continue
    const field = document.createElement('input')
    Object.assign(field, { type: 'hidden', name, value })
    form.append(field)
  }
  return form
}

/** @param {string} text */
function refuse(text) {
  showButton()
  say(text)
  button.focus()
}

/** @param {string} text */
function say(text) {
  place.textContent = text
}

/** @param {string} label */
function both(label) {
  return busy(box.hidden ? link : button, label)
}

function showButton() {
  box.hidden = false
  button.hidden = false
  element('#passkey-or', HTMLElement).hidden = false
  link.hidden = true
}

/** Ends what the browser waits for. */
function stop() {
  clearTimeout(renewal)
  round += 1
  WebAuthnAbortService.cancelCeremony()
}

async function listenIfPossible() {
  if (await browserSupportsWebAuthnAutofill()) await listen()
}

if (browserSupportsWebAuthn() && isSecureContext) {
  if (wasPasskeyUsed()) showButton()
  else link.hidden = false
  button.addEventListener('click', () => void ask())
  link.addEventListener('click', () => void ask())
  // A passphrase on its way is not to be overtaken by a passkey.
  passphraseForm.addEventListener('submit', stop, { capture: true })
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void listenIfPossible()
  })
  void listenIfPossible()
}
