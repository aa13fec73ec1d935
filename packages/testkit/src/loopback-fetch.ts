import { loopbackAgent, type LoopbackMap, requestLoopback } from './loopback-request.ts'

/** The part of `fetch` that clients such as oauth4webapi call: never follows a redirect. */
export type LoopbackFetch = (
  input: string | URL,
  init?: {
    readonly method?: string
    readonly headers?: RequestInit['headers']
    readonly body?: unknown
  },
) => Promise<Response>

/** A `fetch` whose every host name resolves to loopback; see {@link LoopbackMap}. */
export function loopbackFetch(map: LoopbackMap): LoopbackFetch {
  const agent = loopbackAgent(map)
  return async (input, init = {}) => {
    const headers = new Headers(init.headers)
    const body = bodyOf(init.body)
    if (init.body instanceof URLSearchParams && !headers.has('content-type')) {
      headers.set('content-type', 'application/x-www-form-urlencoded;charset=UTF-8')
    }
    const answer = await requestLoopback(map, agent, {
      method: init.method ?? 'GET',
      url: new URL(input),
      headers: Object.fromEntries(headers),
      ...(body === undefined ? {} : { body }),
    })
    const received = new Headers()
    for (let i = 0; i + 1 < answer.rawHeaders.length; i += 2) {
      received.append(answer.rawHeaders[i] as string, answer.rawHeaders[i + 1] as string)
    }
    const isBodiless = answer.status === 204 || answer.status === 304
    // A Buffer's memory is never shared here; the type cannot say so.
    const content = isBodiless ? null : (answer.body as Uint8Array<ArrayBuffer>)
    return new Response(content, { status: answer.status, headers: received })
  }
}

function bodyOf(body: unknown): string | Uint8Array | undefined {
  if (body === undefined || body === null) return undefined
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  if (body instanceof URLSearchParams) return body.toString()
  throw new TypeError('loopbackFetch sends strings, bytes and URLSearchParams only')
}
