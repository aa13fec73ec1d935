/** What this browser remembers about passkeys: whether one was used here, and when the owner was last asked to add one. */

const USED = 'passkey-used'
const OFFERED = 'passkey-offer'
const DAY_MS = 86_400_000
const AGAIN_AFTER_MS = 90 * DAY_MS
const NEVER = 'never'

/** Whether a passkey logged in here before. */
export function wasPasskeyUsed() {
  return read(USED) !== ''
}

/** A passkey was used or added here. */
export function notePasskey() {
  write(USED, '1')
}

/** Whether the owner may be asked to add one: nobody answered lately, and the browser can remember the answer. */
export function mayOfferPasskey() {
  const answered = read(OFFERED)
  if (wasPasskeyUsed() || answered === NEVER) return false
  if (answered !== '' && new Date().getTime() - Number(answered) < AGAIN_AFTER_MS) return false
  return write(OFFERED, answered)
}

/** @param {{ again: boolean }} how whether to ask again some day */
export function noteOfferAnswered({ again }) {
  write(OFFERED, again ? String(new Date().getTime()) : NEVER)
}

/** @param {string} key */
function read(key) {
  try {
    return localStorage.getItem(key) ?? ''
  } catch {
    return ''
  }
}

/**
 * @param {string} key
 * @param {string} value
 * @returns {boolean} whether the browser keeps it
 */
function write(key, value) {
  try {
    localStorage.setItem(key, value)
    return true
  } catch {
    return false
  }
}
