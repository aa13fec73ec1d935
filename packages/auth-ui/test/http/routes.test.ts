import { existsSync } from 'node:fs'
import type { RouteLimit, RouteRow } from '@svc/platform'
import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { DEFAULT_LIMITS } from '../../src/index.ts'
import { fieldsOf, pathOf, rowsOf, sendTo } from '../support/every-row.ts'
import { METHODS } from '../support/exercise-every-row.ts'
import { startWithSettings } from '../support/settings-server.ts'
import { createAlice, type UiServer, withAlice } from '../support/ui-server.ts'

const HOUR_MS = 3_600_000
const CSRF_TOKEN = 'c'.repeat(32)

/** What rows say, tried out: nobody has to remember a new one. */
describe('every route of auth-ui', () => {
  let server: UiServer
  let browser: BrowserClient
  beforeEach(async () => {
    ;({ server, browser } = await withAlice(startWithSettings()))
  })

  it('refuses strangers before it looks at what they send, where a requirement guards it', async () => {
    const guarded = rowsOf(server, ...METHODS).filter((row) => guardOf(row) !== undefined)
    expect(guarded.map(guardOf)).to.include.members([
      'requirePermission',
      'requireSession',
      'requireSettingsApp',
    ])
    for (const row of guarded) {
      const { status } = await askWith(row, {})
      expect([401, 403, 404], nameOf(row)).to.include(status)
      expect(row.statuses, nameOf(row)).to.include(status)
    }
  })

  it('has a requirement below /settings, but for the onboarding', () => {
    const open = rowsOf(server, ...METHODS).filter(
      (row) => row.path.startsWith('/settings/') && guardOf(row) === undefined,
    )
    expect(open.map(nameOf)).to.have.members([
      'POST /settings/passphrase',
      'POST /settings/passphrase/flagship',
    ])
  })

  it('names a file that there is, where the handler decides who may call', () => {
    const files = rowsOf(server, ...METHODS).flatMap(({ auth }) =>
      typeof auth === 'function' && auth.provedBy !== undefined ? [auth.provedBy] : [],
    )
    expect(files).to.have.length.greaterThan(10)
    const missing = files.filter(
      (file) => !existsSync(new URL(`../../src/${file}`, import.meta.url)),
    )
    expect(missing).to.deep.equal([])
  })

  it('names only counters that there are', () => {
    const named = rowsOf(server, ...METHODS).flatMap(limitsOf)
    expect(named).to.have.length.greaterThan(20)
    expect(Object.keys(DEFAULT_LIMITS)).to.include.members(named.map(({ bucket }) => bucket))
  })

  it('answers 429 over a limit that the router keeps, and not below it', async () => {
    const rows = rowsOf(server, ...METHODS)
    const limited = rows.flatMap((row) =>
      limitsOf(row)
        .filter((limit) => !('inRule' in limit))
        .map(({ bucket }) => ({ row, bucket })),
    )
    expect(limited).to.have.length.greaterThan(0)
    for (const { row, bucket } of limited) {
      expect((await sendSomething(browser, row)).status, nameOf(row)).not.to.equal(429)
      const closed = await startWithSettings({
        ui: { limits: { [bucket]: { limit: 0, windowMs: HOUR_MS } } },
      })
      await createAlice(closed)
      const answer = await sendSomething(closed.browser(), row)
      expect(answer.status, `${nameOf(row)} (${bucket})`).to.equal(429)
      expect(Number(answer.headers['retry-after'])).to.be.within(1, HOUR_MS / 1000)
    }
  })

  /** With a body that no route takes: who calls comes first. */
  function askWith(
    row: RouteRow,
    headers: Readonly<Record<string, string>>,
  ): Promise<BrowserResponse> {
    const hasBody = row.body !== undefined
    return browser.request(row.method, pathOf(row), {
      headers: {
        accept: 'application/json',
        ...headers,
        ...(hasBody && { 'content-type': 'a/b', 'content-length': '1' }),
      },
      ...(hasBody && { body: 'x' }),
    })
  }
})

/** Name of the requirement that the router asks; undefined: anybody may call, or the handler decides. */
function guardOf({ auth }: RouteRow): string | undefined {
  if (typeof auth !== 'function' || auth.provedBy !== undefined) return undefined
  return auth.name === 'anybody' ? undefined : auth.name
}

function limitsOf({ limit = [] }: RouteRow): readonly RouteLimit[] {
  return typeof limit === 'string' ? [{ bucket: limit, inRule: '' }] : limit
}

/** Something for every field, and the token of a form that was shown. */
function sendSomething(browser: BrowserClient, row: RouteRow): Promise<BrowserResponse> {
  if (row.body === undefined) return browser.request(row.method, pathOf(row))
  browser.plantCookie(`__Host-csrf=${CSRF_TOKEN}; Path=/; Secure`)
  const fields = Object.fromEntries(fieldsOf(row).map((name) => [name, 'x']))
  return sendTo(browser, row, { ...fields, csrf_token: CSRF_TOKEN })
}

function nameOf({ method, path }: RouteRow): string {
  return `${method} ${path}`
}
