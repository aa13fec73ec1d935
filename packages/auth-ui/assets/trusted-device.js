/** The proof that this browser passed the second step before. Nothing else of the pages is kept in the browser. */

const KEY = 'trusted-device-token'

/** Empty when there is none, or when the browser keeps nothing. */
export function trustedDeviceToken() {
  try {
    return localStorage.getItem(KEY) ?? ''
  } catch {
    return ''
  }
}

/** @param {unknown} token of an answer; anything but a text is none */
export function keepTrustedDeviceToken(token) {
  if (typeof token !== 'string' || token === '') return
  try {
    localStorage.setItem(KEY, token)
  } catch {
    // A browser that keeps nothing asks for the second step again: no harm done.
  }
}
