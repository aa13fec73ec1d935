import { expect } from 'chai'
import { pathOf, rowsOf } from '../support/every-row.ts'
import { logIn, startUi, type UiServer, withAlice } from '../support/ui-server.ts'

const NAMES = ['svcsessid', '__Host-csrf', '__Secure-svcknown', '__Secure-magic-request']
const JUNK = ['', '%ff', '"', 'a'.repeat(4000), 'ÿþ', '__proto__', 'e30.e30.e30', '=;=', ';;;,,,']

const HEADERS: readonly [what: string, headers: Readonly<Record<string, string>>][] = [
  ...JUNK.map((value): [string, Record<string, string>] => [
    `cookies of ${JSON.stringify(value.slice(0, 12))}`,
    { cookie: NAMES.map((name) => `${name}=${value}`).join('; ') },
  ]),
  ['a cookie header that is none', { cookie: '=;;=\t;%;\u00ff' }],
  ['a hundred cookies of a name', { cookie: Array(100).fill('svcsessid=x').join('; ') }],
  ...['', ' ', 'Bearer', 'Bearer ', 'Bearer a b', 'Basic %', `Bearer ${'a.'.repeat(4000)}`].map(
    (authorization): [string, Record<string, string>] => [
      `Authorization ${JSON.stringify(authorization.slice(0, 12))}`,
      { authorization },
    ],
  ),
  ['types that nobody knows', { accept: ';q=;,*/x;q=9', 'accept-language': ';;q=,-,\u00ff' }],
  ['an agent of 8 kB', { 'user-agent': '(((;'.repeat(2000) }],
  ['addresses that are none', { 'x-forwarded-for': '::::,%,[,999.1.1.1', forwarded: 'for=_;;' }],
  ['hosts of others', { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' }],
  ['fetch metadata that is none', { 'sec-fetch-site': 'x,y', 'sec-fetch-dest': '\u00ff' }],
]

describe('10.11 malformed headers', function () {
  this.timeout(20_000)
  let server: UiServer
  before(async () => {
    ;({ server } = await withAlice(startUi({ stays: true, oauth: { trustProxy: 1 } }), {
      email: 'alice@example.com',
    }))
  })
  after(() => server.close())

  for (const [what, headers] of HEADERS) {
    it(`end in 500 at no endpoint, and are nobody's session: ${what}`, async () => {
      for (const row of rowsOf(server, 'GET', 'POST', 'PUT', 'DELETE')) {
        const hasBody = row.method !== 'GET' && row.body !== undefined
        const isJson = row.body?.types[0] === 'json'
        const type = isJson ? 'application/json' : 'application/x-www-form-urlencoded'
        const answer = await server.browser().request(row.method, pathOf(row), {
          headers: { ...headers, ...(hasBody ? { 'content-type': type } : {}) },
          ...(hasBody ? { body: isJson ? '{}' : 'x=y' } : {}),
        })
        expect(answer.status, `${row.method} ${row.path}`).to.be.lessThan(500)
        expect(answer.setCookie('svcsessid'), row.path).to.equal(undefined)
        expect(answer.location ?? '', row.path).not.to.include('evil')
        expect(answer.text, row.path).not.to.include('evil')
      }
    })
  }

  it('keep nobody from logging in afterwards', async () => {
    server.clock.advance(3_600_001)
    expect((await logIn(server.browser())).status).to.equal(302)
  })
})
