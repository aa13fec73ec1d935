import http from 'node:http'

export interface Sent {
  readonly form?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly headers?: http.OutgoingHttpHeaders
}

export interface Answered {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly location: string
  readonly body: string
}

const agent = new http.Agent({ keepAlive: true })

/** One request, whatever it answers. */
export function ask(
  port: number,
  host: string,
  method: string,
  path: string,
  { form, json, headers = {} }: Sent = {},
): Promise<Answered> {
  const body =
    json === undefined ? form && new URLSearchParams(form).toString() : JSON.stringify(json)
  const type = json === undefined ? 'application/x-www-form-urlencoded' : 'application/json'
  const content =
    body === undefined
      ? {}
      : { 'content-type': type, 'content-length': String(Buffer.byteLength(body)) }
  const options = { port, path, method, headers: { host, ...content, ...headers }, agent }
  return exchange(options, body)
}

/** The same, for requests that must succeed. @throws Error for an answer of 400 or more */
export async function send(...request: Parameters<typeof ask>): Promise<Answered> {
  const answered = await ask(...request)
  if (answered.status < 400) return answered
  const [, host, method, path] = request
  throw new Error(`${method} ${path} on ${host}: ${answered.status} ${answered.body}`)
}

function exchange(options: http.RequestOptions, body: string | undefined): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const request = http.request(options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () => {
        resolve({
          status: response.statusCode ?? 500,
          headers: response.headers,
          location: response.headers.location ?? '',
          body: Buffer.concat(chunks).toString(),
        })
      })
    })
    request.once('error', (error: NodeJS.ErrnoException) => {
      // The server closed the idle connection just when it was used again: nothing was read of the request.
      if (request.reusedSocket && error.code === 'ECONNRESET') resolve(exchange(options, body))
      else reject(error)
    })
    request.end(body)
  })
}
