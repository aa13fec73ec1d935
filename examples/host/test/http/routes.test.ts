import { callersOf, type RouteRow } from '@svc/platform'
import { expect } from 'chai'
import { startTestHost, type TestHost } from '../support/test-host.ts'

/** Where the host's own endpoints are. */
const OWN = /^\/(?:data|konnectors|shared|shares|sharings)(?:\/|$)/

describe('the endpoints of the host', () => {
  let host: TestHost
  let rows: readonly RouteRow[]

  before(async () => {
    host = await startTestHost()
    rows = host.host.app.rows.filter(({ path }) => OWN.test(path))
  })
  after(() => host.stop())

  async function answerTo({ method, path, body }: RouteRow, authorization?: string) {
    const browser = await host.browser(undefined, { anonymous: true })
    const target = path.replace(':doctype', 'io.svc.notes').replace(':id', 'x')
    return browser.request(method, target, {
      credentials: false,
      headers: {
        ...(authorization !== undefined && { authorization }),
        // Nothing of a stranger's body is judged: it would be 400 or 415.
        ...(body !== undefined && { 'content-type': 'text/plain' }),
      },
      ...(body !== undefined && { body: '{' }),
    })
  }

  it('are those of documents, links, sharings and connectors', () => {
    expect(rows.map(({ method, path }) => `${method} ${path}`)).to.have.lengthOf(11)
  })

  it('refuse whoever has no token, before what is sent is read, where the route wants one', async () => {
    const guarded = rows.filter((row) => !callersOf(row).includes('none'))
    expect(guarded).to.have.lengthOf(10)
    for (const row of guarded) {
      for (const authorization of [undefined, 'Bearer e30.e30.e30']) {
        const answer = await answerTo(row, authorization)
        const what = `${row.method} ${row.path} ${authorization}`
        expect(answer.status, what).to.equal(401)
        expect(row.statuses, what).to.include(401)
        expect(answer.headers['www-authenticate'], what).to.match(/^Bearer/)
      }
    }
  })

  it('limit offers between owners only, whose limit `sharing-limits.test.ts` exceeds', () => {
    const limits = rows.flatMap(({ method, path, limit }) =>
      (typeof limit === 'object' ? limit : []).map(({ bucket }) => `${method} ${path}: ${bucket}`),
    )
    expect(limits).to.deep.equal(['POST /sharings: sharings'])
  })

  it('answer a declared status to anybody where the route wants no token', async () => {
    for (const row of rows.filter((each) => callersOf(each).includes('none'))) {
      const { status } = await answerTo(row)
      expect(row.statuses, `${row.method} ${row.path}`).to.include(status)
      expect(status).to.not.equal(401)
    }
  })
})
