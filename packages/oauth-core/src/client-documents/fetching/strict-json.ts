/** Strings, and the marks that open, close and part. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/gs

/** Why bytes are not the JSON that is taken. */
export type JsonFault = 'depth' | 'encoding' | 'json' | 'member_twice' | 'not_object'

export type StrictJson =
  | { readonly value: Readonly<Record<string, unknown>> }
  | { readonly fault: JsonFault }

/**
 * One JSON object of UTF-8 bytes, in which no member stands twice: two readers of it see the same.
 * @param maxDepth - objects and lists within each other, the outermost included
 */
export function parseStrictJson(bytes: Uint8Array, maxDepth: number): StrictJson {
  let text: string
  try {
    // A byte order mark stays, and is no JSON.
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return { fault: 'encoding' }
  }
  const fault = findShapeFault(text, maxDepth)
  if (fault !== undefined) return { fault }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { fault: 'json' }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { fault: 'not_object' }
  }
  // An object that JSON.parse made.
  return { value: value as Readonly<Record<string, unknown>> }
}

/** Before the text is parsed: a deep one takes the parser's stack. Text that is no JSON may pass. */
function findShapeFault(text: string, maxDepth: number): 'depth' | 'member_twice' | undefined {
  /** Names of the open objects; undefined for a list. */
  const open: (Set<string> | undefined)[] = []
  let last = ''
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '{' || token === '[') {
      open.push(token === '{' ? new Set() : undefined)
      if (open.length > maxDepth) return 'depth'
    } else if (token === '}' || token === ']') {
      open.pop()
    } else if (token === ':') {
      const names = open.at(-1)
      const name = unquoted(last)
      if (names?.has(name) === true) return 'member_twice'
      names?.add(name)
    }
    last = token
  }
  return undefined
}

/** The same name may be written with and without escapes. */
function unquoted(token: string): string {
  try {
    return String(JSON.parse(token))
  } catch {
    return token
  }
}
