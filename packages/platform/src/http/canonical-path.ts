/** Paths that have one reading only: nothing to decode, no upper case, no empty segment, and none of dots. */
const CANONICAL = /^(?:\/[a-z0-9_-][a-z0-9_.-]*)+$/

/**
 * What a router that is not strict may take a path for: decoded once, in lower case, with single slashes, none at the
 * end, and without `.` and `..`.
 */
export function canonicalPath(path: string): string {
  // Nearly all of them.
  if (CANONICAL.test(path)) return path
  const decoded = path.replaceAll(/(?:%[0-9a-f]{2})+/gi, decode).replaceAll('\\', '/')
  const segments: string[] = []
  for (const segment of decoded.toLowerCase().split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return `/${segments.join('/')}`
}

/** What is no UTF-8 stays as it is. */
function decode(escapes: string): string {
  try {
    return decodeURIComponent(escapes)
  } catch {
    return escapes
  }
}
