import { toHeaderText } from './mail-address.ts'

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g

/** A title on one line and whole, for subjects and pushes. @see notifications.md 10 "Control characters" */
export function toTitle(text: string): string {
  return toHeaderText(text, Number.POSITIVE_INFINITY)
}

/** A text or mark-up without control characters but LF and TAB. */
export function toBody(text: string): string {
  return text.replaceAll(CONTROLS, '').toWellFormed()
}

/** Output of a text template: without the blanks that templates are full of, lines kept. @see notifications.md 10.1 */
export function collapseBlanks(text: string): string {
  return text
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .trim()
}

/** Controls that turn the order of what is read. @see docs/decisions/0054 */
const DIRECTION_CONTROLS = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu
const HAS_RIGHT_TO_LEFT = /[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}]/u
/** What mail programs make links of: a sign between two letters or digits, or a scheme. */
const LINK_SIGN = /[.:/@](?=[^\s\p{P}\p{S}]|\/)/gu
const WORD_JOINER = '\u2060'
const MAX_QUOTE_LENGTH = 1024
const MAX_QUOTE_LINES = 20

/**
 * A text from outside on one line: a name, a browser. No mail program makes a link of it (a name such as
 * `win.example/now` is how strangers get their address into an owner's mail), and it does not turn the sentence.
 */
export function toShownText(text: string, maxLength = 200): string {
  const line = toHeaderText(text.replaceAll(DIRECTION_CONTROLS, ''), maxLength)
  const plain = line.replaceAll(LINK_SIGN, (sign) => sign + WORD_JOINER)
  return HAS_RIGHT_TO_LEFT.test(plain) ? `\u2068${plain}\u2069` : plain
}

/** The owner's own text, line by line; at most 20 lines and 1 024 characters, an ellipsis for what is cut off. */
export function toQuote(text: string): readonly string[] {
  const kept = text.replaceAll(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n').slice(0, MAX_QUOTE_LENGTH)
  const all = kept
    .split('\n')
    .map((line) => toHeaderText(line.replaceAll(DIRECTION_CONTROLS, ''), MAX_QUOTE_LENGTH))
    .filter((line) => line !== '')
  const lines = all.slice(0, MAX_QUOTE_LINES)
  const isCut = text.length > MAX_QUOTE_LENGTH || all.length > lines.length
  return isCut ? [...lines, '…'] : lines
}
