import '@svc/store/node-version'
import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { RequestHandler } from '@svc/platform'
import { OptionsError } from '@svc/platform/options'
import type { DispatchFunc } from 'light-my-request'

/** Where a request of the web came from, which it does not say itself. */
export interface Connection {
  /** The client's address, as the socket or the platform has it: limits hang on it. */
  readonly address: string
}

/** Answers a request of the web. */
export type FetchHandler = (request: Request, connection: Connection) => Promise<Response>

/** More than any page or answer of the packages; no stream leaves this way. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
/** Of the connection that there is none of: whoever sends the answer has one of its own, of HTTP/2 perhaps. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
])
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304])

/**
 * The handler as a function from `Request` to `Response`, for frameworks that give nothing else. For Node alone, without
 * websockets, answers up to 4 MiB; the handler in front of the framework has none of these bounds. It needs the package
 * `light-my-request`.
 * @throws OptionsError without `light-my-request`; TypeError, of the function, for an address that is none
 * @example
 * const answer = toFetch(oauth.handler({ routes }))
 * export const GET = (request: Request) => answer(request, { address: addressOf(request) })
 */
export function toFetch(handler: RequestHandler): FetchHandler {
  requireInject()
  // Its requests and answers are those of Node in all that the handler uses.
  const dispatch = handler as unknown as DispatchFunc

  return async function fetchHandler(request, { address }) {
    if (isIP(address) === 0) throw new TypeError('toFetch: address is not an IP address')
    const { inject } = await import('light-my-request')
    const { pathname, search, host } = new URL(request.url)
    const headers: Record<string, string> = Object.fromEntries(request.headers)
    headers['host'] ??= host
    // How long a body is a request of the web does not say before it is sent.
    if (request.body !== null && headers['content-length'] === undefined) {
      headers['transfer-encoding'] = 'chunked'
    }
    const answer = await inject(dispatch, {
      // Any that the handler knows, and those that it answers 405.
      method: request.method as 'GET',
      url: `${pathname}${search}`,
      headers,
      remoteAddress: address,
      ...(request.body !== null && { payload: Readable.fromWeb(request.body as ReadableStream) }),
    })
    const { rawPayload, statusCode: status } = answer
    if (rawPayload.length > MAX_ANSWER_BYTES) {
      throw new TypeError('toFetch: the answer is larger than 4 MiB; put the handler in front')
    }
    const fields = new Headers()
    for (const [name, value] of Object.entries(answer.headers)) {
      if (OF_CONNECTION.has(name)) continue
      for (const one of [value ?? []].flat()) fields.append(name, String(one))
    }
    const body = WITHOUT_BODY.has(status) || request.method === 'HEAD' ? null : rawPayload
    return new Response(body as Uint8Array<ArrayBuffer> | null, { status, headers: fields })
  }
}

/** An optional dependency: most servers need none of it. */
function requireInject(): void {
  try {
    import.meta.resolve('light-my-request')
  } catch {
    const hint = 'Install it with: npm install light-my-request'
    throw new OptionsError([
      { path: 'toFetch', problem: 'needs the package light-my-request', hint },
    ])
  }
}
