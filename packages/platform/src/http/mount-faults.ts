import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PlatformLog } from '../log/log-events.ts'
import { baseHeaders } from './headers.ts'
import { logOnce } from './log-once.ts'
import { RequestError, type RequestErrorCode } from './request-error.ts'

/** What a framework adds to requests that it passes on. */
interface Passed {
  readonly baseUrl?: unknown
  readonly originalUrl?: unknown
}

/** Says what an answer is, where it leads, who may read it and what it may do: ours alone. */
const CONTRADICTING =
  /^(?:access-control-.*|content-.*|cross-origin-.*|cache-control|clear-site-data|etag|expires|last-modified|location|permissions-policy|referrer-policy|transfer-encoding|www-authenticate)$/
const OUR_COOKIES = /^(?:__Host-|__Secure-)?(?:_?csrf|svc\w*|magic-request|pass[\w-]*)=/

/**
 * Refuses what must never be handled in such a place: below a prefix, or rewritten, the paths would be others; and
 * HTTP/2 is the proxy's. @returns whether it did
 */
export function refuseMisplaced(
  request: IncomingMessage,
  response: ServerResponse,
  log: PlatformLog,
): boolean {
  if (request.httpVersionMajor >= 2) {
    const hint = 'HTTP/2 is for the proxy in front: pass the handler to http.createServer'
    logOnce(log, 'mount.http_version', (to) => to.warn('mount.http_version', { hint }))
    refuse(response, 'http_version_not_supported', log)
    return true
  }
  const { baseUrl, originalUrl } = request as Passed
  const isBelow = typeof baseUrl === 'string' && baseUrl !== ''
  if (!isBelow && (originalUrl === undefined || originalUrl === request.url)) return false
  const hint =
    'the paths of the interface are fixed: mount the handler in front of everything, without a prefix'
  const prefix = isBelow ? baseUrl : 'rewritten'
  logOnce(log, 'mount.prefixed', (to) => to.error('mount.prefixed', { hint, prefix }))
  refuse(response, 'internal_error', log)
  return true
}

/** Removes from an answer of ours what something in front has already set and what would contradict it. */
export function removeForeignHeaders(response: ServerResponse, log: PlatformLog): void {
  const names = response.getHeaderNames().filter((name) => CONTRADICTING.test(name))
  for (const name of names) response.removeHeader(name)
  const cookies = [response.getHeader('Set-Cookie') ?? []].flat().map(String)
  const others = cookies.filter((cookie) => !OUR_COOKIES.test(cookie))
  if (others.length < cookies.length) {
    response.removeHeader('Set-Cookie')
    if (others.length > 0) response.setHeader('Set-Cookie', others)
    names.push('set-cookie')
  }
  if (names.length === 0) return
  const hint = 'mount the handler in front of what sets headers'
  logOnce(log, 'mount.headers_removed', (to) =>
    to.warn('mount.headers_removed', { hint, names: names.join(' ') }),
  )
}

/** By hand: nothing of such a request is looked at. */
function refuse(response: ServerResponse, code: RequestErrorCode, log: PlatformLog): void {
  removeForeignHeaders(response, log)
  const { status } = RequestError.rows[code]
  const body = JSON.stringify({ error: code })
  const headers = { ...baseHeaders(undefined), 'Cache-Control': 'no-store' }
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.setHeader('Content-Type', 'application/json; charset=utf-8')
  response.setHeader('Content-Length', Buffer.byteLength(body))
  response.statusCode = status
  response.end(body)
}
