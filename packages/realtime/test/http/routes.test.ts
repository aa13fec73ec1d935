import { sqliteStore } from '@svc/store/sqlite'
import type { Store } from '@svc/store'
import { expect } from 'chai'
import { after, before, describe, it } from 'mocha'
import { DEFAULT_LIMITS } from '../../src/limits.ts'
import { realtimeRoutes } from '../../src/routes.ts'
import { type RealtimeServer, startRealtime } from '../support/realtime-server.ts'

/** What each route says of its callers, held against what it answers. */
describe('every route of realtime', () => {
  let store: Store
  let server: RealtimeServer
  const routes = realtimeRoutes(DEFAULT_LIMITS.documentBytes)

  before(async () => {
    store = sqliteStore({ file: ':memory:' })
    server = await startRealtime({ store })
  })
  after(async () => {
    await server.close()
    await store.close()
  })

  for (const route of routes) {
    const { callers } = route.auth
    const isOpen = callers.includes('none')
    it(`${isOpen ? 'takes' : 'refuses'} strangers: ${route.method} ${route.path}`, async () => {
      const path = route.path.replace(':doctype', 'io.svc.files').replace(':id', 'one')
      // A body that is as wrong as can be: strangers are refused before it is read.
      const body = route.body === undefined ? {} : { body: 'a=b', type: 'text/plain' }
      const { status } = await server.browser().request(route.method, path, body)
      expect(status === 401).to.equal(!isOpen)
      expect(route.statuses).to.include(status)
    })
  }

  it('is listed in the order of the paths', () => {
    const paths = routes.map(({ path }) => path)
    expect(paths).to.deep.equal(paths.toSorted())
    expect(server.realtime.rows.map(({ path }) => path)).to.deep.equal(paths)
  })
})
