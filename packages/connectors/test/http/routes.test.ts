import { callersOf, type RouteRow } from '@svc/platform'
import type { BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { beforeEach, describe, it } from 'mocha'
import { accountRoutes, flowRoutes } from '../../src/routes.ts'
import { JSON_API, refusalOf } from '../support/flow-steps.ts'
import { type RefreshServer, startRefresh } from '../support/refresh-server.ts'

/** What each route says about itself, held against what it answers. */
describe('every route of connectors', () => {
  let server: RefreshServer
  let account: string

  beforeEach(async () => {
    server = await startRefresh({})
    await server.putImported()
    account = (await server.importBank())._id
  })

  async function call(row: RouteRow): Promise<BrowserResponse> {
    const path = row.path.replace(':accountType', 'bank').replace(':accountId', account)
    const browser = server.browser({ session: null })
    // Browsers go to addresses; scripts send everything else.
    if (row.method === 'GET') return browser.get(path, { headers: JSON_API })
    return browser.request(row.method, path, { headers: JSON_API })
  }

  /** What a stranger is answered, who has none of the credentials of the route. */
  function expectedOf(row: RouteRow): readonly [status: number, code: string] | undefined {
    const callers = callersOf(row)
    if (callers.includes('konnector token')) return [401, 'missing_token']
    if (callers.includes('session cookie')) return [403, 'login_required']
    return callers.includes('code') ? [400, 'bad_state'] : undefined
  }

  for (const route of [...flowRoutes, ...accountRoutes]) {
    const name = `${route.method} ${route.path}`
    it(`refuses strangers: ${name}`, async () => {
      const isRow = ({ method, path }: RouteRow) => `${method} ${path}` === name
      const row = server.connectors.rows.find(isRow) ?? expect.fail('it is not mounted')
      const answer = await call(row)
      expect(refusalOf(answer)).to.deep.equal(expectedOf(row))
      expect(row.statuses).to.include(answer.status)
    })
  }
})
