import type { ScriptedAnswer } from '@svc/testkit'
import { expect } from 'chai'
import type { AccountType } from '../../../src/account-types/account-type.ts'
import type { TokenResult } from '../../../src/token-client/provider.ts'
import {
  openTokenClient,
  type TokenClientSetup,
  tokensOf,
} from '../../support/token-client-setup.ts'

const INPUT = { code: 'code-1', redirectUri: 'https://a.example/redirect', state: 'state-1' }

interface Row {
  readonly name: string
  readonly answer: ScriptedAnswer
  readonly type?: Partial<AccountType>
  /** Members of the tokens, or class and reason of the failure. */
  readonly expected: object | string
}

function json(body: object, type = 'application/json'): ScriptedAnswer {
  return { headers: { 'content-type': type }, body: JSON.stringify(body) }
}

/** Every line of the table of `connectors.md` 15, and what its text adds. */
const ROWS: readonly Row[] = [
  {
    name: 'no token_type',
    answer: json({ access_token: 'at' }),
    expected: { accessToken: 'at', tokenType: 'Bearer' },
  },
  ...['bearer', 'Bearer', 'BEARER'].map((token_type) => ({
    name: `token_type ${token_type}`,
    answer: json({ access_token: 'at', token_type }),
    expected: { accessToken: 'at', tokenType: token_type },
  })),
  ...['mac', 'MAC', 'DPoP', 'user', ' bearer', 'N_A', 7, false, ['bearer'], {}].map(
    (token_type) => ({
      name: `token_type ${JSON.stringify(token_type)}, which the type does not name`,
      answer: json({ access_token: 'at', token_type }),
      expected: 'invalid: token_type',
    }),
  ),
  {
    name: 'token_type user, which the type names',
    type: { tokenTypes: ['User'] },
    answer: json({ access_token: 'at', token_type: 'user' }),
    expected: { accessToken: 'at', tokenType: 'user' },
  },
  {
    name: 'expires_in as a string',
    answer: json({ access_token: 'at', expires_in: '3600' }),
    expected: { accessToken: 'at', expiresAt: 3_600_000 },
  },
  {
    name: 'expires_in null',
    answer: json({ access_token: 'at', expires_in: null }),
    expected: { accessToken: 'at', expiresAt: undefined },
  },
  {
    name: 'JSON as text/html',
    answer: json({ access_token: 'at' }, 'text/html; charset=iso-8859-1'),
    expected: { accessToken: 'at' },
  },
  {
    name: 'JSON without a type',
    answer: { body: '{"access_token":"at"}' },
    expected: { accessToken: 'at' },
  },
  {
    name: 'a urlencoded body',
    answer: {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'access_token=at&scope=repo%2Cgist&token_type=bearer&expires_in=60',
    },
    expected: { accessToken: 'at', tokenType: 'bearer', scope: 'repo gist', expiresAt: 60_000 },
  },
  {
    name: 'a urlencoded body that says JSON',
    answer: { headers: { 'content-type': 'application/json' }, body: 'access_token=at' },
    expected: { accessToken: 'at' },
  },
  {
    name: '200 and an error',
    answer: json({ error: 'bad_verification_code', access_token: 'at' }),
    expected: 'error: bad_verification_code',
  },
  {
    name: '200 and an urlencoded error',
    answer: { body: 'error=invalid_grant&error_description=x' },
    expected: 'revoked: invalid_grant',
  },
  {
    name: '200 and ok: false',
    answer: json({ ok: false, error: 'invalid_refresh_token' }),
    type: { revokedErrors: ['invalid_refresh_token'] },
    expected: 'revoked: invalid_refresh_token',
  },
  {
    name: '200 and a status of its own',
    answer: json({ status: 401, body: { access_token: 'at' } }),
    type: { errorStatusPath: ['status'], tokenResponsePath: ['body'] },
    expected: 'error: 401',
  },
  {
    name: '400 and an error object',
    answer: { status: 400, body: { error: { message: 'm', type: 'OAuthException', code: 190 } } },
    expected: 'error: OAuthException',
  },
  {
    name: '201',
    answer: { status: 201, body: { access_token: 'at' } },
    expected: { accessToken: 'at' },
  },
  {
    name: 'an id_token only',
    answer: json({ id_token: 'x.y.z' }),
    expected: { accessToken: 'x.y.z', idToken: 'x.y.z' },
  },
  {
    name: 'a junk id_token',
    answer: json({ access_token: 'at', id_token: 'junk' }),
    expected: { accessToken: 'at', idToken: 'junk' },
  },
  {
    name: 'scope as a list',
    answer: json({ access_token: 'at', scope: ['chat:read', 'chat:edit'] }),
    expected: { accessToken: 'at', scope: 'chat:read chat:edit' },
  },
  {
    name: 'refresh_token null',
    answer: json({ access_token: 'at', refresh_token: null }),
    expected: { accessToken: 'at', refreshToken: undefined },
  },
  {
    name: 'no refresh token',
    answer: json({ access_token: 'at' }),
    expected: { accessToken: 'at', refreshToken: undefined },
  },
  {
    name: 'another refresh token',
    answer: json({ access_token: 'at', refresh_token: 'rt-2' }),
    expected: { accessToken: 'at', refreshToken: 'rt-2' },
  },
  {
    name: 'tokens in an object',
    answer: json({ status: 0, body: { access_token: 'at', refresh_token: 'rt-2' } }),
    type: { errorStatusPath: ['status'], tokenResponsePath: ['body'] },
    expected: { accessToken: 'at', refreshToken: 'rt-2' },
  },
  {
    name: 'a byte order mark',
    answer: { body: '\uFEFF{"access_token":"at"}' },
    expected: { accessToken: 'at' },
  },
  {
    name: '302',
    answer: { status: 302, headers: { location: '/elsewhere' }, body: { access_token: 'at' } },
    expected: 'invalid: redirect',
  },
  {
    name: '307',
    answer: { status: 307, headers: { location: '/elsewhere' } },
    expected: 'invalid: redirect',
  },
  {
    name: '__proto__ with a token',
    answer: { body: '{"__proto__":{"access_token":"at"}}' },
    expected: 'invalid: no_token',
  },
  {
    name: 'a list',
    answer: { body: '[{"access_token":"at"}]' },
    expected: 'invalid: body',
  },
  { name: 'a page', answer: { body: '<html>a=b</html>' }, expected: 'invalid: body' },
  { name: 'nothing', answer: { status: 204 }, expected: 'invalid: body' },
  { name: '401', answer: { status: 401 }, expected: 'config: http_401' },
  { name: '404', answer: { status: 404, body: 'gone' }, expected: 'error: http_404' },
  { name: '429', answer: { status: 429 }, expected: 'limited: http_429' },
  { name: '500', answer: { status: 500, body: 'oops' }, expected: 'unavailable: http_500' },
  { name: '503', answer: { status: 503 }, expected: 'unavailable: http_503' },
]

describe('answers of real token endpoints (connectors.md 15)', () => {
  let setup: TokenClientSetup
  const now = Date.UTC(2026, 10, 22)
  before(async () => {
    setup = await openTokenClient({ clock: { now: () => now } })
  })
  after(() => setup.close())

  const calls: Readonly<Record<string, (type: AccountType) => Promise<TokenResult>>> = {
    exchange: (type) => setup.client.exchange(type, INPUT),
    refresh: (type) => setup.client.refresh(type, 'rt-1'),
  }
  for (const row of ROWS) {
    for (const [kind, call] of Object.entries(calls)) {
      const shown = typeof row.expected === 'string' ? row.expected : 'tokens'
      it(`${kind}, ${row.name}: ${shown}, after one request`, async () => {
        const before = setup.provider.requests.length
        setup.provider.script('token', row.answer)
        const result = await call(setup.type(row.type ?? {}))
        expect(setup.provider.requests).to.have.length(before + 1)
        if (typeof row.expected === 'string') {
          expect(result.ok || `${result.class}: ${result.reason}`).to.equal(row.expected)
          return
        }
        const tokens: object = tokensOf(result)
        for (const [name, value] of Object.entries(row.expected)) {
          if (value === undefined) expect(tokens).to.not.have.property(name)
          else expect(tokens).to.have.property(name, name === 'expiresAt' ? now + value : value)
        }
      })
    }
  }
})
