import type { FlagshipCodes } from '../certification/flagship-codes.ts'
import type { RateLimits, RouteContext } from '@svc/platform'
import type { AuthorizePages } from '../ports.ts'
import type { AuthorizeRequest } from './authorize-request.ts'

export interface CertifyDependencies {
  readonly flagshipCodes: FlagshipCodes
  readonly limits: RateLimits<'confirm-flagship'>
  /** Given with `oauth.routes`: asked when a request comes. */
  readonly pages: () => AuthorizePages
}

/**
 * The page of a client that asks for everything and is not certified, and the mail with its code: at most one per 30 s
 * and client, and none for a request that nobody may be looking at. @see oauth.md 5.5, decision D62
 */
export function createShowCertify(
  dependencies: CertifyDependencies,
): (ctx: RouteContext, request: AuthorizeRequest) => Promise<void> {
  const { flagshipCodes, limits, pages } = dependencies

  return async function showCertify(ctx, { instance, client }) {
    const pending = await flagshipCodes.find(instance, client)
    if (isLookedAt(ctx) && pending?.isRenewable !== false) {
      await limits.hit(instance, 'confirm-flagship')
      const made = await flagshipCodes.create(instance, client)
      if (made !== undefined) {
        const { token, code, expiresAt, drop } = made
        try {
          return await pages().certify(ctx, { client, token, code, expiresAt })
        } catch (error) {
          await drop()
          throw error
        }
      }
      // A request of the same moment made it, and mails it.
      await limits.release(instance, 'confirm-flagship')
    }
    const { token, expiresAt } = (await flagshipCodes.find(instance, client)) ?? {}
    await pages().certify(ctx, {
      client,
      ...(token === undefined ? {} : { token }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    })
  }
}

/** False for HEAD, and for a page that the browser loads ahead of the owner's wish. */
function isLookedAt(ctx: RouteContext): boolean {
  if (ctx.method !== 'GET') return false
  return !['Sec-Purpose', 'Purpose', 'X-Moz'].some((name) =>
    /prefetch|prerender/i.test(ctx.get(name)),
  )
}
