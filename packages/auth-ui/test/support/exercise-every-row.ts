import type { RouteRow } from '@svc/platform'
import type { BrowserClient } from '@svc/testkit'
import { expect } from 'chai'
import { fieldsOf, pathOf, rowsOf, sendTo, typed } from './every-row.ts'
import { JSON_ONLY } from './second-step.ts'
import { appToken } from './settings-server.ts'
import { createAlice, logIn, type UiServer } from './ui-server.ts'

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

const CROSS_SITE = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
const TYPES = { form: 'application/x-www-form-urlencoded', json: 'application/json' } as const
const TOO_MUCH = 'x'.repeat(65_537)
/** Bodies that no row takes, by content type. */
const MALFORMED = { form: ['a=%ff', 'a=b&a=c'], json: ['{', '[]', '"x"'] } as const

/** Sends every row malformed and unauthorized requests: each is refused, and no mail is sent. */
export async function exerciseEveryRow(server: UiServer): Promise<void> {
  const domain = 'every-row.example.com'
  await createAlice(server, { domain, email: `owner@${domain}` })
  const browser = server.browser(`https://${domain}`)
  await logIn(browser)
  const [owner, drive] = [await appToken(browser), await appToken(browser, 'drive')]
  const mails = server.mails.length
  const faults: string[] = []
  for (const row of rowsOf(server, ...METHODS)) {
    const refuses = async (
      status: number,
      authorization: string,
      { query = '', type = '', body = '' } = {},
    ): Promise<void> => {
      for (const accept of row.family === 'html' ? [TYPES.json, 'text/html'] : [TYPES.json]) {
        const answer = await browser.request(row.method, pathOf(row) + query, {
          headers: { accept, authorization, ...(type !== '' && typed(type, body)) },
          ...(type !== '' && { body }),
        })
        const what = `${row.method} ${row.path}${query} ${type} ${body.slice(0, 30)} for ${accept}`
        if (answer.status !== status) faults.push(`${what}: ${answer.status} instead of ${status}`)
      }
    }
    // With a bearer that row reads no body (D43).
    const bearer = row.path === '/auth/session_code' ? '' : `Bearer ${owner}`
    await refuses(400, bearer, { query: '?a=%ff' })
    if (asksForToken(row)) {
      await refuses(401, '')
      await refuses(401, 'Bearer x')
      await refuses(403, `Bearer ${drive}`)
    }
    if (row.csrf !== undefined) await exerciseCsrf(browser.another(), row)
    if (row.body === undefined) continue
    await refuses(415, bearer, { type: 'text/css', body: 'x' })
    for (const kind of row.body.types) {
      const type = TYPES[kind as 'form' | 'json']
      await refuses(413, bearer, { type, body: TOO_MUCH })
      for (const body of MALFORMED[kind as 'form' | 'json'])
        await refuses(400, bearer, { type, body })
    }
    if (!row.body.types.includes('json')) continue
    const given = async (field: string, value: string): Promise<void> =>
      refuses(400, bearer, { type: TYPES.json, body: `{"${field}":${value}}` })
    for (const field of fieldsOf(row)) {
      if (field !== 'csrf_token') await given(field, '[{}]')
      if (/passphrase$|^hint$/.test(field)) await given(field, '"\\ud800"')
    }
  }
  expect(faults).to.deep.equal([])
  expect(server.mails).to.have.lengthOf(mails)
}

async function exerciseCsrf(browser: BrowserClient, row: RouteRow): Promise<void> {
  const codeOf = async (fields: Record<string, string>, headers = {}): Promise<string> => {
    const answer = await sendTo(browser, row, fields, { ...JSON_ONLY, ...headers })
    return `${answer.status} ${answer.json<{ code: string }>().code}`
  }
  expect(await codeOf({}, CROSS_SITE), row.path).to.equal('403 cross_origin')
  // Without a body there is no token to verify.
  if (row.body === undefined) return
  expect(await codeOf({ csrf_token: 'x' }), row.path).to.equal('403 csrf_invalid')
  if (row.csrf === 'token') expect(await codeOf({}), row.path).to.equal('400 csrf_missing')
}

/** Before there is an owner, people get a page and programs get a code. */
export async function exerciseBeforeOwner(server: UiServer): Promise<void> {
  const { instance } = await server.ui.owners.createInstance({ domain: 'no-owner.example.com' })
  const browser = server.browser(instance.origin)
  for (const row of rowsOf(server, ...METHODS)) {
    // Rows that need a client, a page or a session first have exercises of their own.
    const isLater = row.csrf === 'token' || row.path.endsWith('/move') || asksForToken(row)
    if (!row.statuses.includes(412) || isLater) continue
    const fields = Object.fromEntries(fieldsOf(row).map((name) => [name, 'x']))
    const send = (headers: Record<string, string>): ReturnType<BrowserClient['get']> =>
      row.body === undefined
        ? browser.request(row.method, `${pathOf(row)}?state=s`, { headers })
        : sendTo(browser, row, row.family === 'html' ? { state: 's' } : fields, headers)
    const answer = await send(JSON_ONLY)
    const { code } = answer.json<{ code: string }>()
    expect([answer.status, code], row.path).to.deep.equal([412, 'onboarding_needed'])
    // Scripts alone call those of passkeys.
    if (row.family !== 'html' || row.path.includes('passkey')) continue
    const page = await send({ accept: 'text/html' })
    expect([page.status, page.contentType], row.path).to.deep.equal([200, 'text/html'])
    expect(page.text, row.path).not.to.include('type="password"')
  }
}

/** Calls each path by the methods that it does not take. */
export async function exerciseOtherMethods(server: UiServer): Promise<void> {
  const { instance } = await server.ui.owners.createInstance({ domain: 'methods.example.com' })
  const browser = server.browser(instance.origin)
  const rows = rowsOf(server, ...METHODS)
  for (const row of rows) {
    const taken = rows.filter(({ path }) => path === row.path).map(({ method }) => method)
    for (const method of METHODS.filter((each) => !taken.includes(each))) {
      const { status, headers } = await browser.request(method, pathOf(row))
      expect(status, `${method} ${row.path}`).to.equal(405)
      expect(String(headers['allow']).split(', '), row.path).to.include.members(taken)
    }
  }
}

/** Whether an app token is the only credential that the row takes. */
export function asksForToken({ auth }: RouteRow): boolean {
  return typeof auth === 'function' && auth.callers.every((caller) => caller.endsWith('token'))
}
