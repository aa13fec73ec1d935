/**
 * A fresh confirmation before something sensitive, in this same tab: the owner gives the passphrase on the instance's
 * own page, which comes back here with a code. What was about to be done waits meanwhile.
 *
 * @typedef {{ confirmation_code: string, confirmation_state: string }} Proof
 * @typedef {{ section: string, name: string, id?: string }} Intent
 */

const INTENT = 'svc.confirmation.intent'
const PROOF = 'svc.confirmation.proof'
/** A little less than the code lives on the server, so that nothing starts that cannot end. */
const PROOF_MS = 4.5 * 60_000

/**
 * @param {string} origin of the instance
 */
export function createConfirmation(origin) {
  /** The intent that the owner just came back for; there to be taken once. @type {Intent | undefined} */
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
    /** How long it still counts, in milliseconds; 0 when it does not. */
    leftMs: () => (proof() === undefined ? 0 : Number(read(PROOF)?.['until']) - now()),
    /** Until when it counts; milliseconds since the epoch, 0 when it does not. */
    until: () => (proof() === undefined ? 0 : Number(read(PROOF)?.['until'])),
    /** Takes code and state out of this page's address; call before anything else can read it. */
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
      // An answer that this tab did not ask for is somebody else's.
      if (waiting === undefined || code === null || waiting['state'] !== state) return
      write(PROOF, { code, state, until: now() + PROOF_MS })
      // Only `ask` writes it.
      returned = /** @type {Intent} */ (waiting['intent'])
    },
    /**
     * What a section was about to do before the owner confirmed.
     *
     * @param {string} section
     * @returns {Intent | undefined}
     */
    take(section) {
      const intent = returned?.section === section ? returned : undefined
      returned = undefined
      return intent
    },
    /**
     * Sends the browser to confirm; it comes back to the section and goes on by itself.
     *
     * @param {Intent} intent
     */
    ask(intent) {
      const state = newState()
      write(INTENT, { state, intent })
      const back = `${location.origin}${location.pathname}#${intent.section}`
      location.assign(`${origin}/auth/confirm?${new URLSearchParams({ state, redirect: back })}`)
    },
    /**
     * A code that came another way than by this page's address.
     *
     * @param {string} code
     * @param {string} state
     */
    keep(code, state) {
      write(PROOF, { code, state, until: now() + PROOF_MS })
    },
    /** What was confirmed counts no more. */
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
