import { ACTIVITY_EVENTS, type RouteRow } from '@svc/platform'
import { expect } from 'chai'
import { authUiRoutes } from '../../../../packages/auth-ui/src/routes.ts'
import { notifyRoutes } from '../../../../packages/notify/src/routes.ts'
import { oauthRoutes } from '../../../../packages/oauth-core/src/routes.ts'
import { realtimeRoutes } from '../../../../packages/realtime/src/routes.ts'
import { activityRoutes } from '../../../../packages/activity/src/routes.ts'

type Told = Pick<RouteRow, 'activity' | 'method' | 'path'>

/**
 * Packages whose rows all say what they note; their routers refuse a row that does not. `@svc/connectors` and the host
 * keep accounts and documents in stores of their own and follow.
 */
const DONE: Readonly<Record<string, readonly Told[]>> = {
  activity: activityRoutes,
  'auth-ui': authUiRoutes,
  notify: notifyRoutes,
  'oauth-core': oauthRoutes,
  realtime: realtimeRoutes(1000),
}

describe('what rows note', () => {
  for (const [name, rows] of Object.entries(DONE)) {
    it(`is said by every row of ${name} that changes something`, () => {
      const silent = rows.filter(({ method, activity }) => method !== 'GET' && !activity)
      expect(silent.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([])
    })

    it(`is in the table, for ${name}`, () => {
      for (const { activity } of rows) {
        if (activity === undefined || (typeof activity === 'object' && 'none' in activity)) continue
        for (const event of [activity].flat()) expect([...ACTIVITY_EVENTS.keys()]).to.include(event)
      }
    })
  }
})
