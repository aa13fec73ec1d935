/** How hard a passphrase is to guess, counted as length times the bits of the kinds of characters in it. */

const KINDS = [
  { pattern: /[A-Z]/u, size: 26 },
  { pattern: /[a-z]/u, size: 26 },
  { pattern: /[0-9]/u, size: 10 },
  { pattern: /[^A-Za-z0-9]/u, size: 30 },
]
const WEAK_BITS = 50
const MODERATE_BITS = 100

/** @param {string} passphrase */
export function strengthBits(passphrase) {
  const size = KINDS.reduce((sum, kind) => sum + (kind.pattern.test(passphrase) ? kind.size : 0), 0)
  return size === 0 ? 0 : [...passphrase].length * Math.log2(size)
}

/**
 * @param {string} passphrase
 * @returns {'none' | 'weak' | 'moderate' | 'strong'}
 */
export function strengthOf(passphrase) {
  if (passphrase === '') return 'none'
  const bits = strengthBits(passphrase)
  if (bits <= WEAK_BITS) return 'weak'
  return bits <= MODERATE_BITS ? 'moderate' : 'strong'
}

/**
 * Whether a reminder gives the passphrase away: it is the passphrase, or holds it, whatever the case of the letters.
 *
 * @param {string} hint
 * @param {string} passphrase
 */
export function givesAway(hint, passphrase) {
  return passphrase !== '' && hint.toLowerCase().includes(passphrase.toLowerCase())
}
