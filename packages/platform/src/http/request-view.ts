import type { IncomingHttpHeaders } from 'node:http'
import type { Context } from 'koa'
import type { Instance } from '../instances/instance.ts'
import { cookieValues } from './cookie-values.ts'

/** The cookies of a request. */
export interface RequestCookies {
  get(name: string): string | undefined
  /** All values under a name, at most five: a host beside may have planted one beside ours. */
  all(name: string): readonly string[]
}

/** What sessions and other parts of a host are told of a request, whatever framework it came through. */
export interface RequestView {
  readonly instance: Instance
  /** The app whose host was named. */
  readonly appSlug?: string | undefined
  /** The `Host` header. */
  readonly host: string
  readonly headers: IncomingHttpHeaders
  readonly cookies: RequestCookies
  /** The client's address, by the trusted-proxy setting; IPv6 as its /64. `unknown`: nobody said. */
  readonly address: string
}

/** Where a context keeps its view. */
const VIEW = Symbol('view')

/**
 * The request of a context behind `resolveInstance`; the same object each time.
 * @example
 * const view = viewOf(ctx, () => ctx.ip)
 */
export function viewOf(ctx: Context, clientAddress: (ctx: Context) => string): RequestView {
  const kept: Context & { [VIEW]?: ContextView } = ctx
  return (kept[VIEW] ??= new ContextView(ctx, clientAddress))
}

/**
 * The context of a view that {@link viewOf} made.
 * @example
 * const koa = contextOf(viewOf(ctx, () => ctx.ip))
 */
export function contextOf(view: RequestView): Context | undefined {
  return ContextView.contextOf(view)
}

/** Looks at the context when it is asked: most of it is asked of few requests. */
class ContextView implements RequestView {
  readonly #ctx: Context
  readonly #clientAddress: (ctx: Context) => string
  readonly cookies: RequestCookies

  static contextOf(view: RequestView): Context | undefined {
    return #ctx in view ? view.#ctx : undefined
  }

  constructor(ctx: Context, clientAddress: (ctx: Context) => string) {
    this.#ctx = ctx
    this.#clientAddress = clientAddress
    this.cookies = {
      get: (name) => cookieValues(ctx.get('Cookie'), name)[0],
      all: (name) => cookieValues(ctx.get('Cookie'), name),
    }
  }

  get instance(): Instance {
    const instance = this.#ctx.state['instance'] as Instance | undefined
    // `resolveInstance` puts it there; without it the server is put together wrongly.
    if (instance === undefined) throw new TypeError('sessions are asked behind resolveInstance()')
    return instance
  }

  get appSlug(): string | undefined {
    return this.#ctx.state['appSlug'] as string | undefined
  }

  get host(): string {
    return this.#ctx.get('Host')
  }

  get headers(): IncomingHttpHeaders {
    return this.#ctx.headers
  }

  get address(): string {
    return this.#clientAddress(this.#ctx)
  }
}
