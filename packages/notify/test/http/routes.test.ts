import { callersOf, HOUR_MS, type RouteRow } from '@svc/platform'
import { anyStore } from '@svc/testkit'
import { expect } from 'chai'
import { closeServers, type NotifyServer, startNotify } from '../support/notify-server.ts'

/** What proves itself only to the handler, or needs no proof. */
const UNASKED = new Set(['none', 'code'])
const POST = { data: { attributes: { category: 'bills', title: 'A bill' } } }
/** A request that is answered with success, of each route that has a limit. */
const GOOD: Readonly<Record<string, unknown>> = { 'POST /notifications': POST }

const nameOf = ({ method, path }: RouteRow): string => `${method} ${path}`
const targetOf = ({ path }: RouteRow): string =>
  path.replace(':id', '019a0000-0000-7000-8000-000000000000')
/** A body that nobody could read. */
const bodyOf = ({ body }: RouteRow) => (body === undefined ? {} : { body: '{' })

anyStore((open) => {
  // Inside: what a test started ends before its store does.
  describe('each route of this package does what it says', () => {
    afterEach(closeServers)

    async function start(limits: object = {}): Promise<NotifyServer> {
      return startNotify({ store: (clock) => open({ clock }), isIdle: true, limits })
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

    it('refuses a body that its schema does not let through', async () => {
      const server = await start()
      let asked = 0
      for (const row of server.notify.rows) {
        if (row.body?.schema === undefined) continue
        asked += 1
        for (const slug of ['home', 'settings', 'bank'] as const) {
          const headers = await server.app(slug)
          const answer = await server.send(row.method, targetOf(row), { headers, json: {} })
          if (answer.status === 403) continue
          expect(answer.status, nameOf(row)).to.equal(400)
        }
      }
      expect(asked).to.equal(4)
    })

    it('keeps each of its limits', async () => {
      const { notify } = await start()
      let kept = 0
      for (const row of notify.rows) {
        for (const limit of typeof row.limit === 'object' ? row.limit : []) {
          const json = GOOD[nameOf(row)]
          expect(json, `a good request for ${nameOf(row)}`).to.not.equal(undefined)
          const server = await start({ [limit.bucket]: { limit: 1, windowMs: HOUR_MS } })
          const headers = await server.app('bank')
          const send = () => server.send(row.method, targetOf(row), { headers, json })
          expect((await send()).status, nameOf(row)).to.be.within(200, 204)
          const refused = await send()
          expect(refused.status, limit.bucket).to.equal(429)
          expect(Number(refused.headers['retry-after'])).to.be.within(1, 3600)
          kept += 1
        }
      }
      expect(kept).to.equal(2)
    })
  })
})
