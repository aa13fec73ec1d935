import http from 'node:http'
import https from 'node:https'

interface FetchOptions {
  readonly method?: string
  readonly headers?: RequestInit['headers']
  readonly body?: unknown
}

/**
 * What the client needs of `fetch`, and one thing more: `*.localhost` is this computer, as in browsers. Node asks the
 * system instead, and many do not know such names.
 */
export function localFetch(input: string | URL, options: FetchOptions = {}): Promise<Response> {
  const url = new URL(input)
  const headers = new Headers(options.headers)
  const body = options.body instanceof URLSearchParams ? options.body.toString() : options.body
  if (options.body instanceof URLSearchParams) {
    headers.set('content-type', 'application/x-www-form-urlencoded')
  }
  const isLocal = url.hostname === 'localhost' || url.hostname.endsWith('.localhost')
  const send = url.protocol === 'https:' ? https.request : http.request
  return new Promise((resolve, reject) => {
    const request = send(
      {
        host: isLocal ? '127.0.0.1' : url.hostname,
        port: url.port,
        path: url.pathname + url.search,
        method: options.method ?? 'GET',
        headers: { ...Object.fromEntries(headers), host: url.host },
        servername: url.hostname,
      },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.once('end', () => {
          const status = answer.statusCode ?? 500
          const received = new Headers()
          for (const [name, value] of Object.entries(answer.headers)) {
            for (const each of [value ?? []].flat()) received.append(name, each)
          }
          const content = status === 204 ? null : Buffer.concat(chunks).toString()
          resolve(new Response(content, { status, headers: received }))
        })
      },
    )
    request.once('error', reject)
    request.end(typeof body === 'string' ? body : undefined)
  })
}
