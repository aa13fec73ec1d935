import { callersOf, type RouteRow } from '@svc/platform'
import { anyStore } from '@svc/testkit'
import { expect } from 'chai'
import { closeServers, type NotifyServer, startNotify } from '../support/notify-server.ts'

/** What proves itself only to the handler, or needs no proof. */
const UNASKED = new Set(['none', 'code'])

const nameOf = ({ method, path }: RouteRow): string => `${method} ${path}`
const targetOf = ({ path }: RouteRow): string =>
  path.replace(':id', '019a0000-0000-7000-8000-000000000000')
/** A body that nobody could read. */
const bodyOf = ({ body }: RouteRow) => (body === undefined ? {} : { body: '{' })

anyStore((open) => {
  // Inside: what a test started ends before its store does.
  describe('each route of this package does what it says', () => {
    afterEach(closeServers)

    async function start(): Promise<NotifyServer> {
      return startNotify({ store: (clock) => open({ clock }), isIdle: true })
    }

    it('refuses who shows nothing, where it names callers, before the body', async () => {
      const server = await start()
      let asked = 0
      for (const row of server.notify.rows) {
        if (callersOf(row).some((caller) => UNASKED.has(caller))) continue
        asked += 1
        const answer = await server.send(row.method, targetOf(row), bodyOf(row))
        expect([answer.status, answer.json.errors?.[0]?.code], nameOf(row)).to.deep.equal([
          401,
          'missing_token',
        ])
        expect(row.statuses, nameOf(row)).to.include(401)
      }
      expect(asked).to.equal(8)
    })

    it('refuses a token without the permission, where it requires one', async () => {
      const server = await start()
      const headers = await server.app('bank')
      let asked = 0
      for (const row of server.notify.rows) {
        if (typeof row.auth !== 'function' || row.auth.name !== 'requirePermission') continue
        asked += 1
        const answer = await server.send(row.method, targetOf(row), { headers, ...bodyOf(row) })
        expect([answer.status, answer.json.errors?.[0]?.code], nameOf(row)).to.deep.equal([
          403,
          'insufficient_scope',
        ])
        expect(row.statuses, nameOf(row)).to.include(403)
      }
      expect(asked).to.equal(5)
    })
  })
})
