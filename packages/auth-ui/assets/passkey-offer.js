/** After a login by passphrase: would a passkey be faster next time? */
import { busy, element, send } from './form.js'
import { noteOfferAnswered, notePasskey } from './passkey-memory.js'
import { tellAccepted } from './passkey-signals.js'
import { browserSupportsWebAuthn, startRegistration } from './webauthn.js'

const form = element('#offer-form', HTMLFormElement)
const button = element('#offer-form button[type="submit"]', HTMLButtonElement)
const place = element('#offer-error', HTMLElement)

async function add() {
  place.textContent = ''
  const done = busy(button, form.dataset['busy'] ?? '')
  const { options = '{}', refused = '', known = '', failed = '' } = form.dataset
  /** @type {unknown} */
  let credential
  try {
    credential = await startRegistration({ optionsJSON: JSON.parse(options) })
  } catch (error) {
    done()
    const isKnown = error instanceof Error && error.name === 'InvalidStateError'
    place.textContent = isKnown ? known : refused
    if (isKnown) notePasskey()
    button.focus()
    return
  }
  const fields = { credential: JSON.stringify(credential) }
  const problem = await send(form, fields, (answer) => void tellAccepted(answer['passkeys']), {
    stays: true,
  })
  if (problem?.code === 'confirmation_required') {
    // The page was open for too long: the owner confirms, and adds the passkey there.
    location.assign('/auth/passkey')
    return
  }
  done()
  if (problem !== undefined) {
    place.textContent = problem.code === 'passkey_invalid' ? failed : problem.text
    return
  }
  notePasskey()
  element('#offer', HTMLElement).hidden = true
  element('#added', HTMLElement).hidden = false
  const title = element('#title', HTMLElement)
  title.textContent = title.dataset['added'] ?? ''
  title.focus()
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  if (!button.disabled) void add()
})
element('#not-now', HTMLAnchorElement).addEventListener('click', () =>
  noteOfferAnswered({ again: true }),
)
element('#never', HTMLAnchorElement).addEventListener('click', () =>
  noteOfferAnswered({ again: false }),
)
if (browserSupportsWebAuthn()) button.disabled = false
