import { isHttpError, prefersJson, type RouteContext } from '@svc/platform'
import type { ClientLimit, LimitReached } from '../registration/client-limit.ts'
import { OAuthError } from '../errors.ts'
import type { AuthorizePages } from '../ports.ts'
import type { AuthorizeRequest } from './authorize-request.ts'
import { type DeprecatedApp, findDeprecated, storeUrlOf } from './deprecated-apps.ts'

export interface HurdleDependencies {
  readonly deprecatedApps: readonly DeprecatedApp[]
  readonly clientLimit: Pick<ClientLimit, 'reached'>
  /** Given with `oauth.routes`: asked when a request comes. */
  readonly pages: () => AuthorizePages
}

/** What may stand between a sound request and its consent. Each is answered with 200 to a GET and 403 to a POST. */
export interface Hurdles {
  /** True when the app is deprecated, and the answer written. @see oauth.md 5.6 */
  isDeprecated(ctx: RouteContext, request: AuthorizeRequest): Promise<boolean>
  /** True when too many clients are connected, and the answer written. @see oauth.md 5.4 */
  isOverLimit(ctx: RouteContext, request: AuthorizeRequest): Promise<boolean>
  /** What the work answers; undefined when others took the last places meanwhile, and the answer is written. */
  withinLimit<Result>(
    ctx: RouteContext,
    request: AuthorizeRequest,
    work: () => Promise<Result>,
  ): Promise<Result | undefined>
}

export function createHurdles(dependencies: HurdleDependencies): Hurdles {
  const { deprecatedApps, clientLimit, pages } = dependencies

  function refuse(ctx: RouteContext, code: 'client_limit' | 'deprecated_app'): void {
    if (ctx.method !== 'POST') return
    if (prefersJson(ctx)) throw new OAuthError(code)
    ctx.status = 403
  }

  async function showLimit(
    ctx: RouteContext,
    { client }: AuthorizeRequest,
    reached: LimitReached,
  ): Promise<void> {
    refuse(ctx, 'client_limit')
    await pages().limit(ctx, { client, ...reached })
  }

  return {
    async isDeprecated(ctx, { client }) {
      const app = findDeprecated(deprecatedApps, client)
      if (app === undefined) return false
      refuse(ctx, 'deprecated_app')
      const storeUrl = storeUrlOf(app, ctx.get('User-Agent'))
      await pages().deprecated(ctx, { client, name: app.name, storeUrl })
      return true
    },

    async isOverLimit(ctx, request) {
      const reached = await clientLimit.reached(request.instance, request.client)
      if (reached === undefined) return false
      await showLimit(ctx, request, reached)
      return true
    },

    async withinLimit(ctx, request, work) {
      try {
        return await work()
      } catch (error) {
        if (!isHttpError(error) || error.code !== 'client_limit') throw error
        const { instance, client } = request
        const limit = instance.settings.oauthClientsMax ?? 0
        // There may be room again by now: the page finds out by itself.
        const reached = await clientLimit.reached(instance, client)
        await showLimit(ctx, request, reached ?? { count: limit, limit })
        return undefined
      }
    },
  }
}
