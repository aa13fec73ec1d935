/** What the forms of these pages share: showing a passphrase, being busy, saying what went wrong. */

/**
 * @template {Element} E
 * @param {string} selector
 * @param {new () => E} kind
 * @param {ParentNode} [within] the page when absent
 * @returns {E}
 */
export function element(selector, kind, within = document) {
  const found = within.querySelector(selector)
  if (!(found instanceof kind)) throw new TypeError(`no ${selector} on this page`)
  return found
}

/** Makes the buttons that show and hide a passphrase work; without a script they stay hidden. */
export function enableShowButtons() {
  for (const button of document.querySelectorAll('button[data-shows]')) {
    if (!(button instanceof HTMLButtonElement)) continue
    const input = element(`#${button.dataset['shows']}`, HTMLInputElement)
    button.hidden = false
    button.addEventListener('click', () => {
      setShown(input, button, input.type === 'password')
      input.focus()
    })
    // A passphrase left readable would be offered as plain text to the browser's form history.
    input.form?.addEventListener('submit', () => setShown(input, button, false))
  }
}

/**
 * @param {HTMLInputElement} input
 * @param {HTMLButtonElement} button
 * @param {boolean} shown
 */
function setShown(input, button, shown) {
  input.type = shown ? 'text' : 'password'
  const { show = '', hide = '', showLabel = '', hideLabel = '' } = button.dataset
  button.textContent = shown ? hide : show
  button.setAttribute('aria-label', shown ? hideLabel : showLabel)
}

/**
 * Keeps the words of a passphrase in the page. A form that something else than `send` submits, such as a password
 * manager, carries an empty field in their place, and a page that the browser brings back from its cache has none.
 *
 * @param {HTMLInputElement} input
 */
export function guardPassphrase(input) {
  const sent = document.createElement('input')
  sent.type = 'hidden'
  sent.name = input.name
  input.removeAttribute('name')
  input.after(sent)
  addEventListener('pageshow', (event) => {
    if (event.persisted) input.value = ''
  })
}

/**
 * Puts a message beside a field, or takes it away, and moves focus to a field that has one.
 *
 * @param {HTMLInputElement} input
 * @param {string} text empty: nothing is wrong
 */
export function setFieldError(input, text) {
  const place = element(`#${input.id}-error`, HTMLElement)
  place.textContent = text
  if (text === '') {
    input.removeAttribute('aria-invalid')
  } else {
    input.setAttribute('aria-invalid', 'true')
    input.focus()
  }
}

/**
 * The submit button while something runs: its place is kept, its words say what happens, a second press does nothing.
 *
 * @param {HTMLButtonElement} button
 * @param {string} label
 * @returns {() => void} puts the button back
 */
export function busy(button, label) {
  const before = [...button.childNodes]
  button.replaceChildren(label)
  button.disabled = true
  button.setAttribute('aria-busy', 'true')
  return () => {
    button.replaceChildren(...before)
    button.disabled = false
    button.removeAttribute('aria-busy')
  }
}

/** Lets the browser paint before it starts to calculate. */
export const painted = () =>
  new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)))

/**
 * Sends a form by script, with some fields replaced, and goes where the answer says.
 *
 * @param {HTMLFormElement} form says what went wrong in `data-problem-<code>`, `data-offline`, `data-unexpected`
 * @param {Record<string, string>} fields in place of the form's own
 * @param {(answer: Record<string, unknown>) => void} [beforeLeaving] reads the answer that worked
 * @param {{ stays?: boolean, leadOn?: (redirect: string) => Promise<string> }} [then] whether the page stays after an
 *   answer that worked; else where it goes
 * @returns {Promise<Problem | undefined>} undefined: the browser is on its way
 * @typedef {{ code: string, text: string }} Problem
 */
export async function send(form, fields, beforeLeaving = () => {}, then = {}) {
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form)) {
    if (typeof value === 'string') body.append(name, fields[name] ?? value)
  }
  const { offline = '', unexpected = '' } = form.dataset
  let sent = await post(form.action, body)
  if (sent?.answer['code'] === 'csrf_invalid') {
    const token = await freshToken()
    if (token === undefined) return undefined
    body.set('csrf_token', token)
    sent = await post(form.action, body)
  }
  if (sent === undefined) return { code: 'offline', text: offline }
  const { response, answer } = sent
  const { redirect, code } = answer
  if (code === 'cookies_blocked') {
    // The page itself says what is to be done.
    location.reload()
    return undefined
  }
  if (response.ok && typeof redirect === 'string') {
    beforeLeaving(answer)
    const { stays = false, leadOn = async () => redirect } = then
    if (!stays) location.assign(await leadOn(redirect))
    return undefined
  }
  const known = typeof code === 'string' ? code : ''
  const text = form.getAttribute(`data-problem-${known}`) ?? unexpected
  const minutes = Math.ceil(Number(response.headers.get('Retry-After') ?? 0) / 60)
  return { code: known, text: text.replace('{minutes}', String(Math.max(1, minutes))) }
}

/**
 * @param {string} url
 * @param {URLSearchParams} body
 * @returns {Promise<{ response: Response, answer: Record<string, unknown> } | undefined>} undefined: not reached
 */
async function post(url, body) {
  const request = { method: 'POST', headers: { Accept: 'application/json' }, body }
  const response = await fetch(url, request).catch(() => undefined)
  if (response === undefined) return undefined
  /** @type {Record<string, unknown>} */
  const answer = await response.json().catch(() => ({}))
  return { response, answer }
}

/**
 * OPEN(0105): the page was open for longer than its cookie lives. It is asked for another token; what was typed is kept.
 *
 * @returns {Promise<string | undefined>} undefined: the page is no longer what it was, and is loaded again
 */
async function freshToken() {
  const page = await fetch(location.href, {
    headers: { Accept: 'text/html' },
    redirect: 'manual',
  }).catch(() => undefined)
  // Nobody is reached: nor will the form be, which then says so.
  if (page === undefined) return ''
  const text = page.ok ? await page.text() : ''
  const token = /name="csrf_token" value="([\w-]+)"/u.exec(text)?.[1]
  if (token === undefined) {
    location.reload()
    return undefined
  }
  for (const field of document.querySelectorAll('input[name="csrf_token"]'))
    if (field instanceof HTMLInputElement) field.value = token
  return token
}
