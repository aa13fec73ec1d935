import { callersOf, type RouteRow } from '@svc/platform'
import { relyingParty } from '@svc/testkit'
import { expect } from 'chai'
import type { Context } from 'koa'
import { suiteHost } from '../support/for-test.ts'

const TOKENS: readonly string[] = [
  'access token',
  'app token',
  'konnector token',
  'settings app token',
]

/** What the tokens of this suite are for. */
const RESOURCE = '/mcp'

/** Every route of every package that a token of the interface opens. @see assistants.md 4.5 */
function guardedRows(rows: readonly RouteRow[]): readonly RouteRow[] {
  const others = rows.filter(({ path }) => path !== RESOURCE)
  return others.filter((row) => callersOf(row).some((caller) => TOKENS.includes(caller)))
}

describe('tokens of a resource', () => {
  const host = suiteHost({ SVC_DEMO: 'on' })
  let token: string

  before(async () => {
    const party = relyingParty({ issuer: host.instance.origin, port: host.host.port })
    await party.register()
    const pending = await party.authorize({ scope: 'io.svc.contacts io.svc.notes' })
    const owner = await host.browser()
    const asked = `${pending.url}&resource=${encodeURIComponent(`${host.instance.origin}${RESOURCE}`)}`
    const page = (await owner.get(asked)).page()
    const answer = await owner.submit(page.form('/auth/authorize'))
    const tokens = await party.exchange(answer.location ?? '', { ...pending, url: asked })
    // The page proposes what only reads, for a day.
    expect(tokens.scope).to.equal('io.svc.contacts:GET io.svc.notes:GET')
    expect(tokens.expires_in).to.equal(3600)
    token = tokens.access_token
  })

  it('open no route of any package', async () => {
    const browser = await host.browser(undefined, { anonymous: true })
    const rows = guardedRows(host.host.app.rows)
    expect(rows.length).to.be.greaterThan(40)
    const wrong: string[] = []
    for (const { method, path, statuses } of rows) {
      const target = path.replace(':doctype', 'io.svc.contacts').replaceAll(/[:*]\w+/g, 'x')
      const answer = await browser.request(method, target, {
        credentials: false,
        headers: { authorization: `Bearer ${token}` },
      })
      const expected = statuses.includes(401) ? 401 : 403
      if (answer.status !== expected) wrong.push(`${method} ${path}: ${answer.status}`)
    }
    expect(wrong).to.deep.equal([])
  })

  it('authenticate no websocket', async () => {
    const ctx = { state: { instance: host.instance } } as unknown as Context
    const error = await host.host.app.oauth.authenticateToken(ctx, token).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).to.include({ code: 'invalid_token' })
  })
})
