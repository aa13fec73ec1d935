import { callersOf, type RouteRow } from '@svc/platform'
import { sqliteStore } from '@svc/store/sqlite'
import type { BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import { accountRoutes, flowRoutes } from '../../src/routes.ts'
import { JSON_API } from '../support/flow-steps.ts'
import { codeIn, type RefreshServer, startRefresh } from '../support/refresh-server.ts'

const MINUTE = { windowMs: 60_000 }
const LIMIT = 2

/** What each route says about itself, held against what it answers. */
describe('every route of connectors', () => {
  let server: RefreshServer
  let account: string

  beforeEach(async () => {
    const limit = { limit: LIMIT, ...MINUTE }
    server = await startRefresh({
      store: sqliteStore({ file: ':memory:' }),
      connectors: {
        limits: { 'account-start': limit, 'account-redirect': limit, 'account-refresh': limit },
      },
    })
    await server.putImported()
    account = (await server.importBank())._id
  })
  afterEach(async () => {
    await server.close()
    await server.store.close()
  })

  async function call(row: RouteRow, credential: boolean): Promise<BrowserResponse> {
    const path = row.path.replace(':accountType', 'bank').replace(':accountId', account)
    const needsToken = callersOf(row).includes('konnector token')
    const bearer = { authorization: `Bearer ${await server.konnectorToken()}` }
    const browser = credential ? server.browser() : server.browser({ session: null })
    const headers = { ...JSON_API, ...(credential && needsToken && bearer) }
    // Browsers go to addresses; scripts send everything else.
    if (row.method === 'GET') return browser.get(path, { headers })
    return browser.request(row.method, path, { headers })
  }

  /** What a stranger is answered, who has none of the credentials of the route. */
  function refusalOf(row: RouteRow): readonly [status: number, code: string] | undefined {
    const callers = callersOf(row)
    if (callers.includes('konnector token')) return [401, 'missing_token']
    if (callers.includes('session cookie')) return [403, 'login_required']
    return callers.includes('code') ? [400, 'bad_state'] : undefined
  }

  for (const route of [...flowRoutes, ...accountRoutes]) {
    const name = `${route.method} ${route.path}`
    const find = (): RouteRow => {
      const row = server.connectors.rows.find(
        ({ method, path }) => method === route.method && path === route.path,
      )
      if (row === undefined) throw new Error(`${name} is not mounted`)
      return row
    }

    it(`refuses strangers: ${name}`, async () => {
      const row = find()
      const answer = await call(row, false)
      expect([answer.status, codeIn(answer)]).to.deep.equal(refusalOf(row))
      expect(row.statuses).to.include(answer.status)
    })

    it(`keeps its limits: ${name}`, async () => {
      const row = find()
      const statuses: number[] = []
      for (let at = 0; at <= LIMIT; at += 1) {
        const answer = await call(row, true)
        statuses.push(answer.status)
        if (answer.status === 429) expect(Number(answer.headers['retry-after'])).to.be.above(0)
      }
      const expected = row.limit === undefined ? [] : [429]
      expect(
        statuses.filter((status) => status === 429),
        String(statuses),
      ).to.deep.equal(expected)
      expect(row.statuses.includes(429)).to.equal(row.limit !== undefined)
      if (row.limit !== undefined) expect(statuses.at(-1)).to.equal(429)
    })
  }

  it('is listed in the order of the paths, first those of browsers', () => {
    for (const routes of [flowRoutes, accountRoutes]) {
      const paths = routes.map(({ path }) => path)
      expect(paths).to.deep.equal(paths.toSorted())
    }
    expect(server.connectors.rows).to.have.lengthOf(flowRoutes.length + accountRoutes.length)
  })
})
