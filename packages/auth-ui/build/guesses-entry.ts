import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import type { GuessedPiece, Guesses } from '../app-kit/guesses.d.ts'

// Put in by the build.
declare const PACKED_WORDS: string
declare const PHRASES: string
declare const GRAPHS: Readonly<Record<string, Record<string, (string | null)[]>>>

/** Longer passphrases are judged by their beginning: the time that it takes grows with the square. */
const MAX_CHARS = 100
/** Digits in place of letters: more of them take too long on a phone. */
const MAX_SUBSTITUTIONS = 20

const estimator = new ZxcvbnFactory({
  dictionary: { words: unpacked(PACKED_WORDS), phrases: PHRASES.split(' ') },
  graphs: GRAPHS,
  maxLength: MAX_CHARS,
  l33tMaxSubstitutions: MAX_SUBSTITUTIONS,
})

/** @param known - what belongs to the owner, and is the first that is tried */
export function guessesOf(text: string, known: readonly string[]): Guesses {
  const { guesses, sequence } = estimator.check(text, [...known])
  const pieces = sequence.map((match) => ({
    how: howOf(match.pattern, String(match['dictionaryName'] ?? '')),
    chars: match.token.length,
  }))
  return { bits: Math.log2(guesses), pieces }
}

function howOf(pattern: string, dictionary: string): GuessedPiece['how'] {
  if (pattern === 'dictionary') {
    return dictionary === 'userInputs' ? 'known' : dictionary === 'phrases' ? 'phrase' : 'word'
  }
  return pattern === 'bruteforce' || pattern === 'separator' ? 'letters' : 'pattern'
}

function unpacked(text: string): string[] {
  let word = ''
  return text.split(/(?=[A-Z])/u).map((part) => {
    word = word.slice(0, part.charCodeAt(0) - 65) + part.slice(1)
    return word
  })
}
