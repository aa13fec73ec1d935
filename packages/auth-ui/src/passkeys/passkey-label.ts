const MAX_LABEL_CHARS = 100

/** The owner's words, as one line. */
export function cleanLabel(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
  return [...line].slice(0, MAX_LABEL_CHARS).join('')
}

/** Proposed for a new passkey, such as `Firefox, Linux`. */
export function labelOf({
  browser,
  os,
}: {
  readonly browser: string
  readonly os: string
}): string {
  return [browser, os].filter((part) => part !== '').join(', ')
}
