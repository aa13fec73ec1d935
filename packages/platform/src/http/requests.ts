import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import type { Instance } from '../instances/instance.ts'
import { detachedContext, type RequestLike } from './detached-context.ts'
import { RequestError } from './request-error.ts'
import { type RequestView, viewOf } from './request-view.ts'
import type { Look, Resolver } from './resolve-instance.ts'

/** What is known of a request that somebody else answers. */
export interface KnownRequest<Access = unknown> {
  readonly instance: Instance
  /** The app whose host was named; its pages are the embedding server's. */
  readonly appSlug?: string
  /** The client's address, by the trusted-proxy setting; IPv6 as its /64. */
  readonly address: string
  /** Who calls. Set by a guard. */
  readonly access?: Access
}

/** Requests that other frameworks handle. */
export interface Requests {
  /** Undefined in front of the handler and of every guard. */
  of(request: IncomingMessage): KnownRequest | undefined
  /** Notes who calls. */
  grant(request: IncomingMessage, instance: Instance, access: unknown): void
  /**
   * Runs the checks of `resolveInstance` on a request that is answered elsewhere. False: the context has the refusal.
   * Never throws for what a client did.
   */
  admit(request: RequestLike): Promise<{ readonly ctx: Context; readonly isAdmitted: boolean }>
  /** Undefined for a host that nobody has, or whose instance is out of service. @throws StoreUnavailableError */
  view(request: RequestLike): Promise<RequestView | undefined>
  /** Whose a request is, at once where that is known; what is an instance's is noted, for {@link Requests.of}. Never throws. */
  look(ctx: Context): Look | Promise<Look>
  /** False only for a host that nobody has. */
  hasHost(request: RequestLike): Promise<boolean>
}

export function createRequests(options: {
  readonly resolver: Resolver
  readonly clientAddress: (ctx: Context) => string
}): Requests {
  const { resolver, clientAddress } = options
  // Not a property of the request: what others put there is never believed.
  const known = new WeakMap<IncomingMessage, KnownRequest>()

  function noteLook(ctx: Context, look: Look): Look {
    if (look.to === 'instance') {
      const { instance, appSlug } = look
      const address = clientAddress(ctx)
      known.set(ctx.req, { instance, address, ...(appSlug !== undefined && { appSlug }) })
    }
    return look
  }

  return {
    of: (request) => known.get(request),
    grant(request, instance, access) {
      const { appSlug, address = clientAddress(detachedContext(request)) } =
        known.get(request) ?? {}
      const facts = { instance, address, access }
      known.set(request, { ...facts, ...(appSlug !== undefined && { appSlug }) })
    },
    async admit(request) {
      const ctx = detachedContext(request)
      try {
        await resolver.admit(ctx)
        return { ctx, isAdmitted: true }
      } catch (error) {
        await resolver.refuse(ctx, error)
        return { ctx, isAdmitted: false }
      }
    },
    async view(request) {
      const ctx = detachedContext(request)
      try {
        await resolver.admit(ctx)
      } catch (error) {
        if (RequestError.is(error)) return undefined
        throw error
      }
      return viewOf(ctx, clientAddress)
    },
    look(ctx) {
      const looking = resolver.look(ctx)
      return looking instanceof Promise
        ? looking.then((look) => noteLook(ctx, look))
        : noteLook(ctx, looking)
    },
    hasHost: async (request) => (await resolver.look(detachedContext(request))).to !== 'nobody',
  }
}
