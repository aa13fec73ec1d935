import type { IncomingMessage, ServerResponse } from 'node:http'
import Koa, { type Context } from 'koa'

/**
 * A Koa that answers in a context which was made before, to look at the request: it may have been somebody else's. Making
 * one sends nothing and sets no header.
 */
export class LookingKoa extends Koa {
  #looked: Context | undefined
  #callback: ReturnType<Koa['callback']> | undefined

  /** Answers in a context of `createContext`. All middleware is in use before the first one. */
  answer(ctx: Context): Promise<void> {
    this.#callback ??= this.callback()
    // Taken at once: Koa begins with its context.
    this.#looked = ctx
    return this.#callback(ctx.req, ctx.res)
  }

  override createContext(request: IncomingMessage, response: ServerResponse): Context {
    const looked = this.#looked
    this.#looked = undefined
    return looked ?? super.createContext(request, response)
  }
}
