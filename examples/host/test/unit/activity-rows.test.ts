import { ACTIVITY_EVENTS, type RouteRow } from '@svc/platform'
import { expect } from 'chai'
import { konnectorListRoutes } from '../../src/accounts/konnector-list.ts'
import { dataRoutes } from '../../src/demo/data/data-routes.ts'
import { shareRoutes } from '../../src/demo/shares/share-routes.ts'
import { sharingRoutes } from '../../src/demo/shares/sharing-routes.ts'
import { accountRoutes, flowRoutes } from '../../../../packages/connectors/src/routes.ts'
import { authUiRoutes } from '../../../../packages/auth-ui/src/routes.ts'
import { mcpRoutes } from '../../../../packages/mcp/src/routes.ts'
import { notifyRoutes } from '../../../../packages/notify/src/routes.ts'
import { oauthRoutes } from '../../../../packages/oauth-core/src/routes.ts'
import { realtimeRoutes } from '../../../../packages/realtime/src/routes.ts'
import { activityRoutes } from '../../../../packages/activity/src/routes.ts'

type Told = Pick<RouteRow, 'activity' | 'method' | 'path'>

/** Rows of every package and of the host; their routers refuse one that changes something and says nothing. */
const ALL: Readonly<Record<string, readonly Told[]>> = {
  activity: activityRoutes,
  'auth-ui': authUiRoutes,
  connectors: [...flowRoutes, ...accountRoutes],
  // Rows are made of services that nobody asks here.
  host: [...dataRoutes({} as never), ...shareRoutes, ...sharingRoutes, ...konnectorListRoutes],
  mcp: mcpRoutes('/mcp', {} as never),
  notify: notifyRoutes,
  'oauth-core': oauthRoutes,
  realtime: realtimeRoutes(1000),
}

describe('what rows note', () => {
  for (const [name, rows] of Object.entries(ALL)) {
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
