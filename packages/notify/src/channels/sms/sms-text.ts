/** @see seed; decision D50 */
export const DEFAULT_MAX_LENGTH = 160
/** ASCII: one `…` would make every part of the text half as long. */
const DOTS = '...'

/** Limits of a provider. */
export interface FitRule {
  readonly maxLength?: number
  readonly overflow?: 'truncate' | 'fallback' | 'split'
}

/** The text cut to the provider's limit, or the reason why it cannot be sent. */
export type FittedText = { readonly text: string } | { readonly fault: 'no_message' | 'too_long' }

/**
 * Cuts what is longer than the provider takes, as its options say. Lengths are Unicode characters; nothing is cut in
 * the middle of what is read as one.
 * @see notifications.md 10.1 "length"
 */
export function fitText(
  written: string,
  { maxLength = DEFAULT_MAX_LENGTH, overflow = 'truncate' }: FitRule,
): FittedText {
  const text = written.trim()
  if (text === '') return { fault: 'no_message' }
  if (overflow === 'split' || countCharacters(text) <= maxLength) return { text }
  if (overflow === 'fallback') return { fault: 'too_long' }
  return { text: `${takeCharacters(text, maxLength - DOTS.length)}${DOTS}` }
}

function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

function takeCharacters(text: string, limit: number): string {
  const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  let kept = ''
  let count = 0
  for (const { segment } of graphemes.segment(text)) {
    count += countCharacters(segment)
    if (count > limit) break
    kept += segment
  }
  return kept
}
