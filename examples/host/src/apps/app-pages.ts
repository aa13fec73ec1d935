import { type AppPages, serveAppFolder } from '@svc/auth-ui'
import type { Context, Middleware, Next } from 'koa'
import type { HostApps } from './registry.ts'

export interface AppPagesOptions {
  readonly apps: HostApps
  /** Who may see what, and with which token. */
  readonly visits: AppPages
}

/** Serves the installed apps of this host on their own hosts; the built-in ones are served before. */
export function serveApps({ apps, visits }: AppPagesOptions): Middleware {
  return function appPages(ctx: Context, next: Next): Promise<void> {
    const { instance, appSlug } = ctx.state
    if (instance === undefined || appSlug === undefined) return next()
    return apps.find(instance, appSlug).then((app) => serveAppFolder(ctx, visits, app))
  }
}
