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

/** What a text template writes: without the blanks that templates are full of, lines kept. @see notifications.md 10.1 */
export function collapseBlanks(text: string): string {
  return text
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .trim()
}
