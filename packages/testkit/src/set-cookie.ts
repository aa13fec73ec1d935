/** A `Set-Cookie` header as the server wrote it, whether or not a browser would keep it. */
export interface SetCookie {
  readonly name: string
  readonly value: string
  /** Attributes by lower-case name; `true` when the attribute has no value. */
  readonly attributes: Readonly<Record<string, string | true>>
  readonly raw: string
}

/** Reads one `Set-Cookie` header. */
export function parseSetCookie(raw: string): SetCookie {
  const [pair = '', ...rest] = raw.split(';')
  const [name, value] = split(pair)
  const attributes: Record<string, string | true> = {}
  for (const part of rest) {
    const [attribute, content] = split(part)
    if (attribute !== '') attributes[attribute.toLowerCase()] = content ?? true
  }
  return { name, value: value ?? '', attributes, raw }
}

function split(part: string): [string, string | undefined] {
  const at = part.indexOf('=')
  return at < 0 ? [part.trim(), undefined] : [part.slice(0, at).trim(), part.slice(at + 1).trim()]
}
