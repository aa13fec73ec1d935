import { isHttpError, prefersJson, type RouteContext } from '@svc/platform'
import { createFlagshipCode, findFlagshipCode } from '../certification/flagship-codes.ts'
import { OAuthError } from '../errors.ts'
import { findLimitReached, type LimitReached } from '../registration/client-limit.ts'
import { type OAuthServices, pagesOf } from '../services.ts'
import type { AuthorizeRequest } from './authorize-request.ts'
import { findDeprecated, storeUrlOf } from './deprecated-apps.ts'

// What may stand between a sound request and its consent. Each is answered with 200 to a GET and 403 to a POST, but for
// the page of a client that is not certified.

/** True when the app is deprecated, and the answer written. @see oauth.md 5.6 */
export async function showsDeprecated(
  ctx: RouteContext,
  services: Pick<OAuthServices, 'given' | 'options'>,
  { client }: AuthorizeRequest,
): Promise<boolean> {
  const app = findDeprecated(services.options.deprecatedApps, client)
  if (app === undefined) return false
  refusePost(ctx, 'deprecated_app')
  const storeUrl = storeUrlOf(app, ctx.get('User-Agent'))
  await pagesOf(services).deprecated(ctx, { client, name: app.name, storeUrl })
  return true
}

/** True when too many clients are connected, and the answer written. @see oauth.md 5.4 */
export async function showsLimit(
  ctx: RouteContext,
  services: Pick<OAuthServices, 'clients' | 'given'>,
  request: AuthorizeRequest,
): Promise<boolean> {
  const reached = await findLimitReached(services, request.instance, request.client)
  if (reached === undefined) return false
  await showLimit(ctx, services, request, reached)
  return true
}

/** What the work answers; undefined when others took the last places meanwhile, and the answer is written. */
export async function withinLimit<Result>(
  ctx: RouteContext,
  services: Pick<OAuthServices, 'clients' | 'given'>,
  request: AuthorizeRequest,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!isHttpError(error) || error.code !== 'client_limit') throw error
    const { instance, client } = request
    const limit = instance.settings.oauthClientsMax ?? 0
    // There may be room again by now: the page finds out by itself.
    const reached = await findLimitReached(services, instance, client)
    await showLimit(ctx, services, request, reached ?? { count: limit, limit })
    return undefined
  }
}

/**
 * The page of a client that asks for everything and is not certified, and the mail with its code: at most one per 30 s
 * and client, and none for a request that nobody may be looking at. @see oauth.md 5.5, decision D62
 */
export async function showCertify(
  ctx: RouteContext,
  services: OAuthServices,
  { instance, client }: AuthorizeRequest,
): Promise<void> {
  const { limits } = services
  const pages = pagesOf(services)
  const pending = await findFlagshipCode(services, instance, client)
  if (isLookedAt(ctx) && pending?.isRenewable !== false) {
    await limits.hit(instance, 'confirm-flagship')
    const made = await createFlagshipCode(services, instance, client)
    if (made !== undefined) {
      const { token, code, expiresAt, drop } = made
      try {
        return await pages.certify(ctx, { client, token, code, expiresAt })
      } catch (error) {
        await drop()
        throw error
      }
    }
    // A request of the same moment made it, and mails it.
    await limits.release(instance, 'confirm-flagship')
  }
  const { token, expiresAt } = (await findFlagshipCode(services, instance, client)) ?? {}
  await pages.certify(ctx, {
    client,
    ...(token === undefined ? {} : { token }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  })
}

async function showLimit(
  ctx: RouteContext,
  services: Pick<OAuthServices, 'given'>,
  { client, redirectUri }: AuthorizeRequest,
  reached: LimitReached,
): Promise<void> {
  refusePost(ctx, 'client_limit')
  await pagesOf(services).limit(ctx, { client, redirectUri, ...reached })
}

function refusePost(ctx: RouteContext, code: 'client_limit' | 'deprecated_app'): void {
  if (ctx.method !== 'POST') return
  if (prefersJson(ctx)) throw new OAuthError(code)
  ctx.status = 403
}

/** False for HEAD, and for a page that the browser loads ahead of the owner's wish. */
export function isLookedAt(ctx: RouteContext): boolean {
  if (ctx.method !== 'GET') return false
  return !['Sec-Purpose', 'Purpose', 'X-Moz'].some((name) =>
    /prefetch|prerender/i.test(ctx.get(name)),
  )
}
