/** Types of `_kit/guesses.js`, which the build makes; what lies in the kit itself is served. */

/** A piece of what was typed, and how it can be guessed. */
export interface GuessedPiece {
  readonly how: 'phrase' | 'known' | 'word' | 'pattern' | 'letters'
  readonly chars: number
}

/** How often one has to guess, as a power of two; and by which pieces. */
export interface Guesses {
  readonly bits: number
  readonly pieces: readonly GuessedPiece[]
}

/** @param known - what belongs to the owner, and is the first that is tried */
export declare function guessesOf(text: string, known: readonly string[]): Guesses
