import { stringify } from 'node:querystring'
import compose from 'koa-compose'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'

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

/**
 * What stands for a Koa context in the engine's routes: they see nothing of the real request but what the bridge
 * hands over, and nothing they do to headers (CORS, Vary, challenges) reaches the client. Only the members that these
 * routes use exist; a test runs them all and fails when they reach for another.
 */
export class NativeContext {
  readonly method: NativeRequest['method']
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** What the engine reads the body from. It prints a warning about a body that was parsed before it. */
  readonly req: { readonly readable: boolean; iterator(): readonly Buffer[] }
  readonly request: { readonly length: number | undefined; readonly url: string }
  readonly response: { readonly headers: Readonly<Record<string, string>> } = { headers: {} }
  readonly query: Readonly<Record<string, string>> = {}
  readonly charset = ''
  readonly secure = true
  readonly state: Record<string, unknown> = {}
  body: unknown = undefined
  #status: number | undefined

  constructor({ method, path, authorization, contentType, body }: NativeRequest) {
    const bytes = contentType === undefined ? undefined : encodeBody(contentType, body ?? {})
    const headers: Record<string, string> = {}
    if (authorization !== undefined) headers['authorization'] = authorization
    if (contentType !== undefined) headers['content-type'] = contentType
    this.method = method
    this.path = path
    this.headers = headers
    this.req = {
      readable: bytes !== undefined,
      iterator: () => (bytes === undefined ? [] : [bytes]),
    }
    this.request = { length: bytes?.length, url: path }
  }

  get status(): number {
    return this.#status ?? (this.body === undefined ? 404 : 200)
  }

  set status(status: number) {
    this.#status = status
  }

  get href(): string {
    return `https://localhost${this.path}`
  }

  get(name: string): string {
    return this.headers[name.toLowerCase()] ?? ''
  }

  is(type: string): string | false {
    return this.headers['content-type'] === type ? type : false
  }

  accepts(...types: readonly string[]): string | false {
    return types.includes('json') ? 'json' : false
  }

  assert(value: unknown, error: Error): asserts value {
    if (!value) throw error
  }

  /** Response headers are ours to set. */
  append(): void {}
  remove(): void {}
  set(): void {}
  vary(): void {}
}

function encodeBody(
  contentType: NonNullable<NativeRequest['contentType']>,
  body: Readonly<Record<string, unknown>>,
): Buffer {
  if (contentType === 'application/json') return Buffer.from(JSON.stringify(body))
  // A form's values are text.
  return Buffer.from(stringify(body as Readonly<Record<string, string>>))
}

export interface NativeAnswer {
  readonly status: number
  readonly body: Record<string, unknown> | undefined
  /** What the engine worked with. */
  readonly entities: KoaContextWithOIDC['oidc']['entities']
}

/** Runs one of the native routes. */
export type NativeCall = (request: NativeRequest) => Promise<NativeAnswer>

/** @param provider - the engine, whose middleware is run by itself, without its server */
export function nativeCallOf(provider: Provider): NativeCall {
  const run = compose(provider.middleware)

  return async function callNatively(request) {
    const context = new NativeContext(request)
    // All that the routes in use ask of a Koa context.
    const ctx = context as unknown as KoaContextWithOIDC
    await run(ctx, done)
    return {
      status: context.status,
      // The routes that run answer JSON objects or nothing.
      body: context.body as Record<string, unknown> | undefined,
      entities: ctx.oidc.entities,
    }
  }
}

async function done(): Promise<void> {}
