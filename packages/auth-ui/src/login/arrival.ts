import type { RouteContext } from '@svc/platform'
import type { Session } from '../session/session.ts'
import type { TransferCodes } from '../session/transfer-code.ts'
import {
  type LocationOptions,
  locationOf,
  needsSessionCode,
  type RedirectTarget,
} from '../web/redirect-target.ts'

/** How a browser with a session gets where it wants to go. */
export interface Arrival {
  /** The `Location` of a target, with a fresh transfer code where its host needs one. */
  locate(
    ctx: RouteContext,
    target: RedirectTarget,
    session: Session | undefined,
    fragment: LocationOptions['fragment'],
  ): Promise<string>
}

/** Decides whether a target needs a code. */
export function createArrival(codes: TransferCodes): Arrival {
  return {
    async locate(ctx, target, session, fragment) {
      const { instance } = ctx.state
      const { slug } = target
      // A HEAD request makes nothing.
      const needsCode = needsSessionCode(instance, target) && ctx.method !== 'HEAD'
      if (session === undefined || slug === undefined || !needsCode) {
        return locationOf(target, { fragment })
      }
      const sessionCode = await codes.mint(instance, slug, session.id)
      return locationOf(target, { fragment, sessionCode })
    },
  }
}
