/** Scopes of a text: clients join them with white space or a literal `+`. Each once, in order. @see connectors.md 4.1 */
export function splitScope(text: string): readonly string[] {
  return [...new Set(text.split(/[\s+]+/u).filter((scope) => scope !== ''))]
}

/** Scopes of a manifest: each entry is a space-separated list. @see connectors.md 12 */
export function manifestScopes(entries: readonly string[] | undefined): readonly string[] {
  return splitScope((entries ?? []).join(' '))
}

/** Whether every text is one of the others. */
export function isSubset(texts: readonly string[], others: readonly string[]): boolean {
  const known = new Set(others)
  return texts.every((text) => known.has(text))
}
