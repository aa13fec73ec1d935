import { requirement, type RouteAuth, type RouteContext } from '@svc/platform'
import type { ActivityServices } from '../services.ts'

/** Only the settings app, whatever a token of scope `*` may else. @see owner.md 5.7 */
export const requireSettingsApp: RouteAuth<ActivityServices> = requirement(
  ['settings app token'],
  function requireSettingsApp(ctx: RouteContext, { owners }: ActivityServices) {
    return owners.requireSettingsApp(ctx)
  },
)
