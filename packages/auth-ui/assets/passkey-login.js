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

/** Options are renewed after this time: their challenge is good for five minutes. */
const FRESH_MS = 240_000
/** How often the list looks at the age of its options. A longer timer would stand still while the device sleeps. */
const LOOK_MS = 1000

const box = element('#passkey-login', HTMLElement)
const passphraseForm = element('#passphrase-form', HTMLFormElement)
const field = passphraseForm.querySelector('input[autocomplete$="webauthn"]')
const button = element('#passkey-button', HTMLButtonElement)
const link = element('#passkey-link', HTMLButtonElement)
const place = element('#passkey-error', HTMLElement)

/** @type {{ options: RequestOptions, at: number } | undefined} */
let given = parsed(box.dataset['options'])
/** Rises when a button was pressed or a passphrase sent: a list from before is not started or heard any more. */
let round = 0
/** @type {ReturnType<typeof setInterval> | undefined} */
let look

/** @param {string | undefined} text */
function parsed(text) {
  return text === undefined || text === ''
    ? undefined
    : { options: /** @type {RequestOptions} */ (JSON.parse(text)), at: new Date().getTime() }
}

/** By the wall clock: the browser's other clock stands still while the device sleeps. */
function isFresh() {
  const ageMs = new Date().getTime() - (given?.at ?? 0)
  return ageMs >= 0 && ageMs < FRESH_MS
}

/** @returns {Promise<RequestOptions | undefined>} undefined: nobody is reached, or not now */
async function currentOptions() {
  if (!isFresh()) given = 'options' in box.dataset ? await optionsOfPage() : await optionsForLogin()
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
  // Of a request of the button, of an answer on its way, or of a passphrase.
  if (document.querySelector('button[aria-busy]') !== null) return
  const mine = round
  if (!(await browserSupportsWebAuthnAutofill()) || mine !== round) return
  const options = await currentOptions()
  if (options === undefined || mine !== round) return
  openList(true)
  clearInterval(look)
  look = setInterval(() => {
    if (document.hidden || isFresh()) return
    clearInterval(look)
    void listen()
  }, LOOK_MS)
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
  const mine = round
  const done = both(box.dataset['busy'] ?? '')
  let text = box.dataset['failed'] ?? ''
  const options = await currentOptions()
  const answer =
    options === undefined || mine !== round
      ? undefined
      : await startAuthentication({ optionsJSON: options }).catch((/** @type {Error} */ error) => {
          // A browser does not tell whether it has no passkey or its owner gave up.
          if (error.name === 'NotAllowedError' && !wasPasskeyUsed())
            text = box.dataset['none'] ?? ''
        })
  done()
  if (mine !== round) return
  if (answer === undefined) {
    refuse(text)
    await listen()
  } else await post(answer)
}

/**
 * @param {import('@simplewebauthn/browser').AuthenticationResponseJSON} answer
 * @param {boolean} [isSecond] the answer before came too late
 */
async function post(answer, isSecond = false) {
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
  const again = problem.code === 'passkey_expired' && !isSecond ? await answerAnew() : undefined
  done()
  if (again !== undefined) {
    await post(again, true)
    return
  }
  if (problem.code === 'passkey_unknown') await tellUnknown(rpId, answer.id)
  refuse(problem.text)
}

/** The device slept while it waited for its owner, who is there now. */
async function answerAnew() {
  const options = await currentOptions()
  if (options === undefined) return undefined
  return startAuthentication({ optionsJSON: options }).catch(() => undefined)
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
  clearInterval(look)
  round += 1
  openList(false)
  WebAuthnAbortService.cancelCeremony()
}

/**
 * The library asks the browser once more whether there are lists. Meanwhile a button may be pressed: then it finds no
 * field that takes passkeys, and starts none.
 *
 * @param {boolean} isOpen
 */
function openList(isOpen) {
  if (field instanceof HTMLInputElement)
    field.setAttribute('autocomplete', `current-password${isOpen ? ' webauthn' : ''}`)
}

if (browserSupportsWebAuthn()) {
  if (wasPasskeyUsed()) showButton()
  else link.hidden = false
  button.addEventListener('click', () => void ask())
  link.addEventListener('click', () => void ask())
  // A passphrase on its way is not to be overtaken by a passkey.
  passphraseForm.addEventListener('submit', stop, { capture: true })
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) void listen()
  })
  addEventListener('online', () => void listen())
  void listen()
}
