import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { stringify } from 'node:querystring'
import compose from 'koa-compose'
import type Provider from 'oidc-provider'
import type { KoaContextWithOIDC } from 'oidc-provider'

/** A request as the engine gets to see it. */
export interface NativeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  /** Value of the Authorization header. */
  readonly authorization?: string
  readonly contentType?: 'application/json' | 'application/x-www-form-urlencoded'
  /** As our own parsers read it. */
  readonly body?: Readonly<Record<string, unknown>>
}

export interface NativeAnswer {
  readonly status: number
  readonly body: Record<string, unknown> | undefined
  /** What the engine worked with. */
  readonly entities: KoaContextWithOIDC['oidc']['entities']
}

/** Runs one of the native routes. */
export type NativeRun = (request: NativeRequest) => Promise<NativeAnswer>

/**
 * Gives the engine a request and a response of its own: it sees nothing of the real request but what the bridge hands
 * over, and nothing it does to headers (CORS, Vary, challenges) reaches the client.
 */
export function createNativeRun(provider: Provider): NativeRun {
  const run = compose(provider.middleware)

  return async function runNative(request) {
    const res = new NativeResponse()
    // Koa uses these members of the two only.
    const ctx = provider.createContext(
      nativeRequest(request) as unknown as IncomingMessage,
      res as unknown as ServerResponse,
    ) as unknown as KoaContextWithOIDC
    await run(ctx, done)
    return {
      status: ctx.status,
      // The routes that run answer JSON objects or nothing.
      body: ctx.body as Record<string, unknown> | undefined,
      entities: ctx.oidc.entities,
    }
  }
}

async function done(): Promise<void> {}

function nativeRequest({ method, path, authorization, contentType, body }: NativeRequest) {
  const bytes = contentType === undefined ? undefined : encodeBody(contentType, body ?? {})
  return {
    method,
    url: path,
    headers: {
      accept: 'application/json',
      host: 'localhost',
      ...(authorization === undefined ? {} : { authorization }),
      ...(bytes === undefined
        ? {}
        : { 'content-length': String(bytes.length), 'content-type': contentType }),
    },
    httpVersionMajor: 1,
    socket: {},
    // The engine reads the body through this; a body that was parsed before it prints a warning about.
    readable: true,
    iterator: () => (bytes === undefined ? [] : [bytes]),
  }
}

function encodeBody(
  contentType: NonNullable<NativeRequest['contentType']>,
  body: Readonly<Record<string, unknown>>,
): Buffer {
  if (contentType === 'application/json') return Buffer.from(JSON.stringify(body))
  // A form's values are text.
  return Buffer.from(stringify(body as Readonly<Record<string, string>>))
}

/** A response that goes nowhere. */
class NativeResponse {
  statusCode = 404
  statusMessage = ''
  readonly headersSent = false
  readonly #headers = new Map<string, number | string | readonly string[]>()

  getHeader(name: string): number | string | readonly string[] | undefined {
    return this.#headers.get(name.toLowerCase())
  }

  getHeaders(): OutgoingHttpHeaders {
    return Object.fromEntries(this.#headers) as OutgoingHttpHeaders // The same values.
  }

  hasHeader(name: string): boolean {
    return this.#headers.has(name.toLowerCase())
  }

  setHeader(name: string, value: number | string | readonly string[]): void {
    this.#headers.set(name.toLowerCase(), value)
  }

  removeHeader(name: string): void {
    this.#headers.delete(name.toLowerCase())
  }
}
