import type http from 'node:http'

/** A request as a provider got it. */
export interface ProviderRequest {
  readonly method: string
  readonly path: string
  /** Names in lower case. */
  readonly headers: http.IncomingHttpHeaders
  readonly query: URLSearchParams
  /** As sent. */
  readonly body: string
  /** Those of the body (a form, or JSON with strings) and of the query, the body first. */
  readonly parameters: Readonly<Record<string, string>>
  /** Id and secret, from wherever they came. */
  readonly client: {
    readonly id: string | undefined
    readonly secret: string | undefined
    readonly via: 'basic' | 'body' | 'query' | 'none'
  }
}

const MAX_BODY_BYTES = 1_048_576

/** Reads all of a request. @throws Error for a body of more than 1 MiB */
export async function readProviderRequest(
  request: http.IncomingMessage,
  origin: string,
): Promise<ProviderRequest> {
  const url = new URL(request.url ?? '/', origin)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) throw new Error('the body is too large')
    chunks.push(chunk)
  }
  const body = Buffer.concat(chunks).toString('utf8')
  const posted = postedParameters(body, request.headers['content-type'] ?? '')
  const query = Object.fromEntries(url.searchParams)
  return {
    method: request.method ?? '',
    path: url.pathname,
    headers: request.headers,
    query: url.searchParams,
    body,
    parameters: { ...query, ...posted },
    client: clientOf(request.headers.authorization, posted, query),
  }
}

function postedParameters(body: string, contentType: string): Record<string, string> {
  if (contentType.startsWith('application/json')) {
    const parsed: unknown = JSON.parse(body)
    const entries = Object.entries(typeof parsed === 'object' && parsed !== null ? parsed : {})
    return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))
  }
  if (!contentType.startsWith('application/x-www-form-urlencoded')) return {}
  return Object.fromEntries(new URLSearchParams(body))
}

function clientOf(
  authorization: string | undefined,
  posted: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string>>,
): ProviderRequest['client'] {
  const [, basic] = /^Basic (.+)$/.exec(authorization ?? '') ?? []
  if (basic !== undefined) {
    const [id = '', ...rest] = Buffer.from(basic, 'base64').toString('utf8').split(':')
    return { id, secret: rest.join(':'), via: 'basic' }
  }
  if (posted.client_id !== undefined) {
    return { id: posted.client_id, secret: posted.client_secret, via: 'body' }
  }
  if (query.client_id !== undefined) {
    return { id: query.client_id, secret: query.client_secret, via: 'query' }
  }
  return { id: undefined, secret: undefined, via: 'none' }
}
