import type http from 'node:http'
import type { RawResponse } from './loopback-request.ts'
import { type Page, parsePage } from './page.ts'
import { parseSetCookie, type SetCookie } from './set-cookie.ts'

/** A whole answer, as the test sees it. */
export interface BrowserResponse {
  /** The URL asked for. */
  readonly url: string
  readonly status: number
  /** Lower-case names; repeated headers are joined with a comma, `set-cookie` is an array. */
  readonly headers: http.IncomingHttpHeaders
  /** Media type without parameters, lower case; empty when the header is absent. */
  readonly contentType: string
  readonly body: Buffer
  /** Body as UTF-8. */
  readonly text: string
  /** `Location` as sent, not resolved. */
  readonly location: string | undefined
  readonly setCookies: readonly SetCookie[]
  /** The `Set-Cookie` of this name, kept by the browser or not. */
  setCookie(name: string): SetCookie | undefined
  /** Body as JSON. @throws Error naming the body when it is none */
  json<Body = unknown>(): Body
  /** Body as a page. */
  page(): Page
}

/** Dresses a raw answer. */
export function toResponse(url: URL, answer: RawResponse): BrowserResponse {
  const text = answer.body.toString('utf8')
  const setCookies = (answer.headers['set-cookie'] ?? []).map(parseSetCookie)
  return {
    url: url.href,
    status: answer.status,
    headers: answer.headers,
    contentType: (answer.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '',
    body: answer.body,
    text,
    location: answer.headers.location,
    setCookies,
    setCookie: (name) => setCookies.find((cookie) => cookie.name === name),
    json: <Body>() => {
      try {
        // The test states what it expects and then asserts on it.
        return JSON.parse(text) as Body
      } catch (cause) {
        throw new Error(`not JSON: ${answer.status} ${text.slice(0, 200)}`, { cause })
      }
    },
    page: () => parsePage(text, url.href),
  }
}
