import { type Caller, callersOf, type RouteRow } from '@svc/platform'
import type { BrowserClient } from '@svc/testkit'
import { expect } from 'chai'
import { suiteHost } from '../support/for-test.ts'
import type { TestHost } from '../support/test-host.ts'

const BEARERS: readonly Caller[] = [
  'access token',
  'app token',
  'konnector token',
  'registration access token',
  'settings app token',
]

/** Bodies that a row refuses, or cannot read. */
const BODIES: readonly (readonly [what: string, type: string, body: string, encoding?: string])[] =
  [
    ['a form', 'application/x-www-form-urlencoded', 'a=1'],
    ['a text', 'text/plain', 'a'],
    ['malformed JSON', 'application/json', '{'],
    ['no UTF-8', 'application/json', '"\u00ff"'],
    ['an unknown encoding', 'application/json', '{}', 'br'],
    ['too much', 'application/json', JSON.stringify('a'.repeat(600_000))],
  ]

/** Rows that take a body from somebody with a bearer. */
function rowsWithBearer({ host }: TestHost): RouteRow[] {
  return host.app.rows.filter(
    (row) => row.body !== undefined && callersOf(row).some((each) => BEARERS.includes(each)),
  )
}

/** A row that takes a bearer and something else has nothing to look at without one. */
function needsBearer(row: RouteRow): boolean {
  return callersOf(row).every((each) => BEARERS.includes(each))
}

/** SPEC: oauth.md 3.3 - whatever is not a live token of the settings app is the same 403. */
const refusalOf = ({ path }: RouteRow): number => (path === '/auth/registerFromWebApp' ? 403 : 401)

describe('a row that takes a bearer and a body', () => {
  const host = suiteHost({ SVC_LIMITS_OAUTH_CLIENT: '100000' })
  let browser: BrowserClient
  let clientId: string
  before(async () => {
    browser = await host.browser(undefined, { anonymous: true })
    const { party } = await host.connect('io.svc.notes')
    clientId = party.client.client_id
  })

  function targetOf({ path }: RouteRow): string {
    const values: Readonly<Record<string, string>> = { clientId, doctype: 'io.svc.notes' }
    return path.replaceAll(/:(\w+)/g, (_whole, name: string) => values[name] ?? 'x')
  }

  async function statusOf(
    row: RouteRow,
    [, type, body, encoding]: (typeof BODIES)[number],
    authorization: string | undefined,
  ): Promise<number> {
    const bytes = Buffer.from(body, 'latin1')
    const answer = await browser.request(row.method, targetOf(row), {
      body: bytes,
      headers: {
        // Node frames the body of a DELETE only when it is told its length.
        'content-length': String(bytes.length),
        'content-type': type,
        ...(encoding !== undefined && { 'content-encoding': encoding }),
        ...(authorization !== undefined && { authorization }),
      },
    })
    return answer.status
  }

  /** Which rows answer something else than their refusal, and to which body. */
  async function others(rows: readonly RouteRow[], authorization?: string): Promise<string[]> {
    const found: string[] = []
    for (const row of rows) {
      for (const body of BODIES) {
        const status = await statusOf(row, body, authorization)
        if (status !== refusalOf(row))
          found.push(`${row.method} ${row.path}, ${body[0]}: ${status}`)
      }
    }
    return found
  }

  it('refuses a wrong bearer before it looks at the body', async () => {
    const rows = rowsWithBearer(host)
    expect(rows.length).to.be.above(20)
    expect(await others(rows, 'Bearer wrong')).to.deep.equal([])
  })

  it('misses a bearer before it looks at the body', async () => {
    expect(await others(rowsWithBearer(host).filter(needsBearer))).to.deep.equal([])
  })
})
