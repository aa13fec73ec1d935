import { bindRoutes, type Route, type RouteRow } from '@svc/platform'
import { pushKeyRoute } from './channels/mobile/push-key.ts'
import { listInboxRoute, markEntryRoute, markInboxRoute } from './inbox/inbox.ts'
import { wordErrors } from './intake/jsonapi-errors.ts'
import { countPosts, postRoute, type PostServices } from './intake/post-notification.ts'
import { cancelRoute, showRoute } from './intake/single-notification.ts'
import { preferencesRoutes } from './preferences/preferences-endpoint.ts'
import { unsubscribeRoutes } from './preferences/unsubscribe.ts'
import type { NotifyServices } from './services.ts'

/** All endpoints in the order of their paths. Those with a parameter come last: it would take the other paths, too. */
export const notifyRoutes: readonly Route<NotifyServices>[] = [
  listInboxRoute,
  markInboxRoute,
  postRoute,
  ...preferencesRoutes,
  pushKeyRoute,
  ...unsubscribeRoutes,
  showRoute,
  markEntryRoute,
  cancelRoute,
]

/** Endpoints of posters: every error has the form of notifications.md 3.5. */
export const posterRoutes: readonly Route<PostServices>[] = [postRoute, showRoute, cancelRoute]

/** The rows of routes, with what runs around those of posters. */
export function bindNotifyRoutes<Services extends PostServices>(
  routes: readonly Route<Services>[],
  services: Services,
): readonly RouteRow[] {
  const posters = new Set<unknown>(posterRoutes)
  return bindRoutes(routes, services).map((row, place) => {
    const route = routes[place]
    if (!posters.has(route)) return row
    return { ...row, use: route === postRoute ? [wordErrors, countPosts(services)] : [wordErrors] }
  })
}
