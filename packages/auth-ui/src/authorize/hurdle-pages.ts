import {
  type AppRegistry,
  type AppTokens,
  type AuthorizePages,
  type OwnerSession,
} from '@svc/oauth-core'
import { type Instance, originOfApp, type RouteContext } from '@svc/platform'
import { withoutSessionCode } from '../web/redirect-target.ts'
import type { LimitPageModel } from '../pages/page-models.ts'
import type { PageRenderer } from '../pages/page-renderer.ts'
import { againHref } from '../pages/recovery-link.ts'

/** Where the owner can have the limit of connected clients raised; absolute, or undefined for none. */
export type RaiseLimitUrl = string | ((instance: Instance) => string | undefined)

/** What {@link createHurdlePages} needs. */
export interface HurdlePagesOptions {
  readonly pages: PageRenderer
  readonly apps: Pick<AppRegistry, 'installed'>
  readonly appTokens: AppTokens
  readonly settingsSlug: string
  readonly namespace: string
  readonly raiseLimitUrl: RaiseLimitUrl | undefined
  readonly current: (ctx: RouteContext) => Promise<OwnerSession | undefined>
}

/** What may stand where a consent was asked for. @see oauth.md 5.4, 5.6 */
export function createHurdlePages(
  options: HurdlePagesOptions,
): Pick<AuthorizePages, 'deprecated' | 'limit'> {
  const { pages, apps, appTokens, settingsSlug, namespace, raiseLimitUrl } = options

  /** What the page shows of the settings app, and listens with. */
  async function settingsOf(
    ctx: RouteContext,
  ): Promise<Pick<LimitPageModel, 'live' | 'settingsHref'>> {
    const { instance } = ctx.state
    const app = await apps.installed(instance, settingsSlug)
    if (app === undefined) return {}
    const settingsHref = `${originOfApp(instance, settingsSlug)}/#clients`
    const session = await options.current(ctx)
    if (session === undefined) return { settingsHref }
    // SPEC: oauth.md 5.4 - bound to the session: it dies with it, and is worth nothing without its cookie.
    const token = await appTokens.issue(instance, app, session.id)
    return { settingsHref, live: { token, namespace } }
  }

  return {
    async limit(context, { client, count, limit }) {
      const ctx = context as RouteContext // Rows run behind `resolveInstance` and the router.
      const raiseHref =
        typeof raiseLimitUrl === 'function' ? raiseLimitUrl(ctx.state.instance) : raiseLimitUrl
      await pages.limitPage(ctx, {
        name: client.metadata.client_name,
        count,
        limit,
        isPosted: ctx.method === 'POST',
        retryHref: ctx.method === 'POST' ? againHref(ctx) : withoutSessionCode(ctx.url),
        ...(await settingsOf(ctx)),
        ...(raiseHref === undefined ? {} : { raiseHref }),
      })
    },

    async deprecated(context, { name, storeUrl }) {
      await pages.deprecatedPage(context as RouteContext, { name, storeUrl })
    },
  }
}
