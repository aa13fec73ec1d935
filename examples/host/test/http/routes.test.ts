import { callersOf, type RouteRow } from '@svc/platform'
import { expect } from 'chai'
import { suiteHost } from '../support/for-test.ts'

/** Where the host's own endpoints are. */
const OWN = /^\/(?:data|konnectors|shared|shares|sharings)(?:\/|$)/

/** What no value of a parameter can be. */
const UNNAMEABLE = ['%00', 'a%1Fb', '%7F', '%C2%85', '%zz', '%ff', '%ED%A0%80', 'a'.repeat(600)]

describe('parameters of paths', () => {
  const host = suiteHost()
  let rows: readonly RouteRow[]

  before(async () => {
    rows = host.host.app.rows.filter(({ path }) => path.includes(':'))
  })

  async function statusOf({ method, path, body }: RouteRow, value: string, token?: string) {
    const browser = await host.browser(undefined, { anonymous: true })
    const { status } = await browser.request(method, path.replaceAll(/:\w+/g, value), {
      credentials: false,
      headers: {
        // After so many requests a connection ends.
        connection: 'close',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: '{}' }),
    })
    return status
  }

  it('are 404 on every route where nothing can have that name', async () => {
    expect(rows.length).to.be.above(30)
    for (const row of rows) {
      for (const value of UNNAMEABLE) {
        expect(await statusOf(row, value), `${row.method} ${row.path} ${value}`).to.equal(404)
      }
    }
  })

  it('are never 500 where they are as long as they may be', async () => {
    const answer = await host.admin('POST', '/instances/alice.example.com/app-tokens', {
      slug: 'settings',
    })
    const { token } = (await answer.json()) as { token: string }
    for (const row of rows) {
      for (const length of [250, 300, 500, 512]) {
        const status = await statusOf(row, 'a'.repeat(length), token)
        expect(status, `${row.method} ${row.path} ${length}`).to.be.below(500)
      }
    }
  })
})

describe('the endpoints of the host', () => {
  const host = suiteHost()
  let rows: readonly RouteRow[]

  before(async () => {
    rows = host.host.app.rows.filter(({ path }) => OWN.test(path))
  })

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

  it('answer a declared status to anybody where the route wants no token', async () => {
    for (const row of rows.filter((each) => callersOf(each).includes('none'))) {
      const { status } = await answerTo(row)
      expect(row.statuses, `${row.method} ${row.path}`).to.include(status)
      expect(status).to.not.equal(401)
    }
  })
})
