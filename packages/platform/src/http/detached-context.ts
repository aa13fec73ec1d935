import type Http from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import Koa, { type Context } from 'koa'

// An import would load Node's client for `fetch` with it, 13 MiB that a server may never use (0437).
const http: typeof Http = process.getBuiltinModule('node:http')

type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>

/** A request as some framework hands it over: of Node, of the web, or what there is of one. */
export type RequestLike =
  | IncomingMessage
  | Request
  | {
      readonly headers: Headers | HeaderRecord
      readonly method?: string
      /** A path, or an address whose host counts where no header names one. */
      readonly url?: string
    }

/** Contexts only: nothing is mounted on it. */
const koa = new Koa()

/** Nobody's connection. */
const NO_SOCKET = new Socket()

/** Of two fields of these names Node keeps the first. */
const SINGLE: ReadonlySet<string> = new Set(['authorization', 'content-type', 'host', 'user-agent'])

/**
 * A context whose answer goes nowhere: what is decided about a request is read from it, and somebody else answers.
 * Nothing of the request itself is read but its head.
 * @example
 * const asked = detachedContext(request).get('accept')
 */
export function detachedContext(request: RequestLike): Context {
  const message = isMessage(request) ? request : messageOf(request)
  return koa.createContext(message, new http.ServerResponse(message))
}

/** By shape: requests of HTTP/2 and of frameworks' own kinds are no instances of it. */
function isMessage(request: RequestLike): request is IncomingMessage {
  return 'rawHeaders' in request && 'socket' in request
}

function messageOf({
  headers,
  method = 'GET',
  url = '/',
}: Exclude<RequestLike, IncomingMessage>): IncomingMessage {
  const message = new http.IncomingMessage(NO_SOCKET)
  const fields = [...fieldsOf(headers)]
  const address = url.startsWith('/') ? undefined : URL.parse(url)
  const isNamed = fields.some(([name]) => name === 'host' || name === ':authority')
  if (!isNamed && address) fields.push(['host', address.host])
  message.method = method
  message.url = address ? `${address.pathname}${address.search}` : url
  message.rawHeaders = fields.flat()
  message.headers = joined(fields)
  return message
}

function* fieldsOf(headers: Headers | HeaderRecord): Generator<[name: string, value: string]> {
  if (isHeaders(headers)) {
    yield* headers
    return
  }
  for (const [name, given] of Object.entries(headers)) {
    if (given === undefined) continue
    for (const value of typeof given === 'string' ? [given] : given) {
      yield [name.toLowerCase(), value]
    }
  }
}

/** By shape: frameworks bring their own. */
function isHeaders(headers: Headers | HeaderRecord): headers is Headers {
  return typeof headers.entries === 'function'
}

/** As Node joins fields of one name. */
function joined(fields: readonly (readonly [name: string, value: string])[]): IncomingHttpHeaders {
  const headers: Record<string, string> = {}
  for (const [name, value] of fields) {
    const before = headers[name]
    if (before === undefined) headers[name] = value
    else if (!SINGLE.has(name))
      headers[name] = `${before}${name === 'cookie' ? '; ' : ', '}${value}`
  }
  return headers
}
