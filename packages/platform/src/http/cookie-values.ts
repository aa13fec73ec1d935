const MAX_SAME_NAME = 5

/**
 * All values of a `Cookie` header under a name, at most five.
 * @example
 * const [session] = cookieValues(request.headers.cookie ?? '', 'session')
 */
export function cookieValues(header: string, name: string): readonly string[] {
  const values: string[] = []
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=')
    if (at === -1 || pair.slice(0, at).trim() !== name) continue
    values.push(pair.slice(at + 1).trim())
    if (values.length === MAX_SAME_NAME) break
  }
  return values
}
