import type { IncomingMessage } from 'node:http'

/** One space (security.md 69), one token. */
const BEARER = /^Bearer (\S+)$/i
const SCHEME = /^Bearer(?: |$)/i

/**
 * The bearer token of the `Authorization` header, the only place one is read from (oauth.md 7.2).
 * `missing`: no header, another scheme, or no token behind it. `malformed`: two tokens, two headers.
 */
export function readBearer(request: IncomingMessage): { token: string } | 'missing' | 'malformed' {
  const header = request.headers.authorization
  if (header === undefined || !SCHEME.test(header)) return 'missing'
  // Node keeps the first of two headers; something in front of us may have looked at the second.
  if (isRepeated(request.rawHeaders)) return 'malformed'
  const token = BEARER.exec(header)?.[1]
  if (token !== undefined) return { token }
  return header.trim().length === 'Bearer'.length ? 'missing' : 'malformed'
}

function isRepeated(rawHeaders: readonly string[]): boolean {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === 13 && name.toLowerCase() === 'authorization') count += 1
  }
  return count > 1
}
