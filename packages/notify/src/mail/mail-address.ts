/** One recipient or sender. `address` went through {@link parseAddress}. */
export interface MailAddress {
  readonly name?: string
  readonly address: string
}

/** One line of text: control characters, line and paragraph separators and bidi overrides become one space. */
export function toHeaderText(text: string, maxLength = 200): string {
  return text
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ')
    .trim()
    .slice(0, maxLength)
    .toWellFormed()
}
