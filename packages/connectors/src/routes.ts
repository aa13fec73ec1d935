import type { OAuth } from '@svc/oauth-core'
import type { HttpError, RouteRow } from '@svc/platform'
import type { Context, Middleware } from 'koa'

/** The pages of the host that this package sends people to. */
export interface ConnectorPages {
  /** Answers an error as a page. */
  error(ctx: Context, error: HttpError): Promise<void>
}

export interface MountOptions {
  readonly oauth: Pick<OAuth, 'mount'>
  /** Endpoints that browsers go to. */
  readonly flow: readonly RouteRow[]
  /** Endpoints of accounts that exist. */
  readonly accounts: readonly RouteRow[]
  /** Absent: errors are JSON:API for everybody. */
  readonly pages: ConnectorPages | undefined
}

/** One middleware for the endpoints of the package. */
export function mountRows({ oauth, flow, accounts, pages }: MountOptions): Middleware {
  const page = pages && {
    async page(ctx: Context, error: HttpError): Promise<void> {
      await pages.error(ctx, error)
      // D55: a connection goes on in a pop-up, whose app has to find its opener.
      ctx.set('Cross-Origin-Opener-Policy', 'unsafe-none')
    },
  }
  // In this order, so that `start` is no account's id: other methods are 405 there.
  const first = oauth.mount(flow, page)
  const second = oauth.mount(accounts)

  const connectorRoutes: Middleware = async function connectorRoutes(ctx, next) {
    let isOurs = true
    await first(ctx, () =>
      second(ctx, () => {
        isOurs = false
        return next()
      }),
    )
    // SPEC: connectors.md 4 - addresses here hold codes and tickets; pages set a rule of their own.
    if (isOurs) ctx.set('Referrer-Policy', 'no-referrer')
  }
  return connectorRoutes
}
