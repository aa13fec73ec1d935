/**
 * A fresh confirmation in this tab: the instance's own page asks for the passphrase and comes back here with a code.
 *
 * @typedef {{ confirmation_code: string, confirmation_state: string }} Proof
 * @typedef {{ section: string, name: string, id?: string }} Intent
 */

const INTENT = 'svc.confirmation.intent'
const PROOF = 'svc.confirmation.proof'
/** Shorter than the code lives on the server. */
const PROOF_MS = 4.5 * 60_000

/**
 * @param {string} origin of the instance
 */
export function createConfirmation(origin) {
  /** Of the owner who just came back; taken once. @type {Intent | undefined} */
  let returned

  /** @returns {Proof | undefined} */
  const proof = () => {
    const { code, state, until } = read(PROOF) ?? {}
    const isGood = typeof until === 'number' && now() < until
    if (!isGood || typeof code !== 'string' || typeof state !== 'string') return undefined
    return { confirmation_code: code, confirmation_state: state }
  }

  return {
    proof,
    /** Milliseconds until it ends; 0 when there is none. */
    leftMs: () => (proof() === undefined ? 0 : Number(read(PROOF)?.['until']) - now()),
    /** Its end, milliseconds since the epoch; 0 when there is none. */
    until: () => (proof() === undefined ? 0 : Number(read(PROOF)?.['until'])),
    /** Takes code and state out of this page's address, before any other script reads it. */
    receive() {
      const url = new URL(location.href)
      const code = url.searchParams.get('code')
      const state = url.searchParams.get('state')
      if (code === null && state === null) return
      url.searchParams.delete('code')
      url.searchParams.delete('state')
      history.replaceState(history.state, '', url)
      const waiting = read(INTENT)
      sessionStorage.removeItem(INTENT)
      // Not asked for by this tab.
      if (waiting === undefined || code === null || waiting['state'] !== state) return
      write(PROOF, { code, state, until: now() + PROOF_MS })
      // Only `ask` writes it.
      returned = /** @type {Intent} */ (waiting['intent'])
    },
    /** @param {string} section @returns {Intent | undefined} what it was doing before the owner confirmed */
    take(section) {
      const intent = returned?.section === section ? returned : undefined
      returned = undefined
      return intent
    },
    /** Sends the browser to confirm; the section resumes afterwards.  @param {Intent} intent */
    ask(intent) {
      const state = newState()
      write(INTENT, { state, intent })
      const back = `${location.origin}${location.pathname}#${intent.section}`
      location.assign(`${origin}/auth/confirm?${new URLSearchParams({ state, redirect: back })}`)
    },
    /** A code that did not come in this page's address.  @param {string} code @param {string} state */
    keep(code, state) {
      write(PROOF, { code, state, until: now() + PROOF_MS })
    },
    forget() {
      sessionStorage.removeItem(PROOF)
    },
  }
}

/** Milliseconds since the epoch: what is kept outlives the page. */
const now = () => new Date().getTime()

/** What ties an answer to its question: nobody can guess it. */
export function newState() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** @param {string} key @returns {Record<string, unknown> | undefined} */
function read(key) {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/** @param {string} key @param {unknown} value */
function write(key, value) {
  sessionStorage.setItem(key, JSON.stringify(value))
}
