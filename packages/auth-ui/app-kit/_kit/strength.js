/** Estimates how hard a passphrase is to guess. Advice only: the server never sees what was typed. OPEN(0230) */

const KINDS = [
  { pattern: /[A-Z]/u, size: 26 },
  { pattern: /[a-z]/u, size: 26 },
  { pattern: /[0-9]/u, size: 10 },
  { pattern: /[^A-Za-z0-9]/u, size: 30 },
]
/** Of characters. @see login.md 3.1 */
const WEAK_BITS = 50
const MODERATE_BITS = 100
/** Of guesses: ten milliards of them are made within days, also against slow hashes. */
const WEAK_GUESSES = Math.log2(1e10)
/** Four words by chance are good, five are strong. */
const MODERATE_GUESSES = 60
/** As if chosen from a dictionary of 65 000 words. */
const WORD_BITS = 16
/** A word of a language: letters, with vowels among them. */
const WORD = /^\p{L}{1,14}$/u
const VOWELS = /[aeiouyäöüàâéèêëîïôûùáíóúœæ]/iu
const NO_VOWELS = /[^aeiouyäöüàâéèêëîïôûùáíóúœæ]{6}/iu
const BETWEEN = /[^\p{L}\p{N}]+/u
const SEPARATOR_BITS = 3
/** Its types are in `guesses.d.ts` above the kit: the compiler need not read what the build has made. */
const GUESSES = new URL('guesses.js', import.meta.url).href
/** Shorter pieces of an address or name are ignored. */
const MIN_KNOWN_CHARS = 3

/**
 * @typedef {'none' | 'weak' | 'moderate' | 'strong'} Level
 * @typedef {'short' | 'known' | 'yours' | 'pattern'} Reason why it is weak: what can be done about it
 * @typedef {{ level: Level, reason: Reason }} Strength
 * @typedef {import('../guesses.js').Guesses} Guesses
 * @typedef {import('../guesses.js').GuessedPiece['how']} How
 * @typedef {typeof import('../guesses.js').guessesOf} GuessesOf
 */

/** @param {string} passphrase */
export function strengthBits(passphrase) {
  const size = KINDS.reduce((sum, kind) => sum + (kind.pattern.test(passphrase) ? kind.size : 0), 0)
  return size === 0 ? 0 : [...passphrase].length * Math.log2(size)
}

/**
 * Until the estimate of guesses is loaded, and where it cannot be, only characters count.
 *
 * @param {readonly string[]} about what is publicly known of the owner: address, name
 * @returns {{ load: () => Promise<void>, of: (passphrase: string) => Strength }}
 */
export function judgeStrength(about) {
  const known = knownFrom(about)
  /** @type {GuessesOf | undefined} */
  let guessesOf
  /** @type {Promise<void> | undefined} */
  let loading
  return {
    load: () => {
      loading ??= import(GUESSES).then(
        (/** @type {{ guessesOf: GuessesOf }} */ loaded) => {
          guessesOf = loaded.guessesOf
        },
        () => {
          // Tried again with the next key; the server is asked anyway in the end.
          loading = undefined
        },
      )
      return loading
    },
    of: (passphrase) => {
      if (passphrase === '') return { level: 'none', reason: 'short' }
      const byCharacters = levelOf(strengthBits(passphrase), WEAK_BITS, MODERATE_BITS)
      if (guessesOf === undefined) return { level: byCharacters, reason: 'short' }
      const { bits, reason } = guess(passphrase, known, guessesOf)
      const byGuesses = levelOf(bits, WEAK_GUESSES, MODERATE_GUESSES)
      return { level: lower(byCharacters, byGuesses), reason }
    },
  }
}

/**
 * @param {number} bits
 * @param {number} weak
 * @param {number} moderate
 * @returns {Level}
 */
function levelOf(bits, weak, moderate) {
  if (bits <= weak) return 'weak'
  return bits <= moderate ? 'moderate' : 'strong'
}

/** @param {Level} one @param {Level} other */
function lower(one, other) {
  if (one === 'weak' || other === 'weak') return 'weak'
  return one === 'moderate' ? one : other
}

/**
 * The lowest estimate: as typed, without separators, and word by word.
 *
 * @param {string} passphrase
 * @param {readonly string[]} known
 * @param {GuessesOf} guessesOf
 * @returns {{ bits: number, reason: Reason }}
 */
function guess(passphrase, known, guessesOf) {
  const typed = guessesOf(passphrase, known)
  const plain = squeezed(passphrase)
  const bare = guessesOf(plain, known)
  const hidden = plain.length === passphrase.length ? 0 : SEPARATOR_BITS
  // Signs among random letters separate no words: they are as hard to guess as the rest.
  const least = bare.bits + hidden < typed.bits && shareOf(bare, 'letters') < 0.5 ? bare : typed
  const bits = least === bare ? bare.bits + hidden : typed.bits
  return { bits: Math.min(bits, wordBits(passphrase)), reason: reasonOf(least) }
}

/** Words of a language count as words even if our list lacks them.  @param {string} passphrase */
function wordBits(passphrase) {
  const words = passphrase.split(BETWEEN).filter((word) => word !== '')
  const isText = words.every(
    (word) => WORD.test(word) && VOWELS.test(word) && !NO_VOWELS.test(word),
  )
  return isText ? words.length * WORD_BITS : Number.POSITIVE_INFINITY
}

/** @param {Guesses} guesses @returns {Reason} */
function reasonOf(guesses) {
  if (shareOf(guesses, 'phrase') >= 0.5) return 'known'
  if (shareOf(guesses, 'known') >= 0.5) return 'yours'
  return shareOf(guesses, 'pattern') >= 0.5 ? 'pattern' : 'short'
}

/** How much of a text is guessed in that way, from 0 to 1.  @param {Guesses} guesses @param {How} kind */
function shareOf({ pieces }, kind) {
  let all = 0
  let some = 0
  for (const { how, chars } of pieces) {
    all += chars
    if (how === kind) some += chars
  }
  return all === 0 ? 0 : some / all
}

/** @param {string} text */
function squeezed(text) {
  return folded(text).split(BETWEEN).join('')
}

/** @param {string} text */
function folded(text) {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss')
}

/** @param {readonly string[]} about */
function knownFrom(about) {
  const texts = about.flatMap((text) => [text, squeezed(text), ...folded(text).split(BETWEEN)])
  return [...new Set(texts)].filter((text) => text.length >= MIN_KNOWN_CHARS)
}

/**
 * Whether a reminder contains the passphrase, in any case.
 *
 * @param {string} hint
 * @param {string} passphrase
 */
export function givesAway(hint, passphrase) {
  return passphrase !== '' && hint.toLowerCase().includes(passphrase.toLowerCase())
}
