import { createHash } from 'node:crypto'
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

type Row = readonly [
  name: string,
  answer: ScriptedAnswer,
  /** Members of the tokens, or class and reason of the failure. */
  expected: object | string,
  type?: Partial<AccountType>,
]

function json(body: object, type = 'application/json'): ScriptedAnswer {
  return { headers: { 'content-type': type }, body: JSON.stringify(body) }
}
const FORM = {
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: 'access_token=at&scope=repo%2Cgist&token_type=bearer&expires_in=60',
}
const OWN_STATUS = { errorStatusPath: ['status'], tokenResponsePath: ['body'] }
const redirect = (status: number): ScriptedAnswer => ({
  status,
  headers: { location: '/elsewhere' },
  body: { access_token: 'at' },
})

/** Of the table of `connectors.md` 15 one row a form and a class; the unit tests have each of its lines. */
const ROWS: readonly Row[] = [
  ['no token_type', json({ access_token: 'at' }), { accessToken: 'at', tokenType: 'Bearer' }],
  ...['mac', 'DPoP', ' bearer', 7, ['bearer'], {}].map((token_type): Row => {
    const name = `token_type ${JSON.stringify(token_type)}, which the type does not name`
    return [name, json({ access_token: 'at', token_type }), 'invalid: token_type']
  }),
  [
    'token_type user, which the type names',
    json({ access_token: 'at', token_type: 'user' }),
    { accessToken: 'at', tokenType: 'user' },
    { tokenTypes: ['User'] },
  ],
  [
    'JSON as text/html, without a refresh token',
    json({ access_token: 'at', refresh_token: null }, 'text/html; charset=iso-8859-1'),
    { accessToken: 'at', refreshToken: undefined },
  ],
  [
    'a urlencoded body',
    FORM,
    { accessToken: 'at', tokenType: 'bearer', scope: 'repo gist', expiresAt: 60_000 },
  ],
  [
    'a urlencoded body that says JSON',
    { headers: { 'content-type': 'application/json' }, body: 'access_token=at' },
    { accessToken: 'at' },
  ],
  [
    '200 and ok: false',
    json({ ok: false, error: 'invalid_refresh_token' }),
    'revoked: invalid_refresh_token',
    { revokedErrors: ['invalid_refresh_token'] },
  ],
  [
    '200 and a status of its own',
    json({ status: 401, body: { access_token: 'at' } }),
    'error: 401',
    OWN_STATUS,
  ],
  [
    'tokens in an object',
    json({ status: 0, body: { access_token: 'at', refresh_token: 'rt-2' } }),
    { accessToken: 'at', refreshToken: 'rt-2' },
    OWN_STATUS,
  ],
  ['an id_token only', json({ id_token: 'x.y.z' }), { accessToken: 'x.y.z', idToken: 'x.y.z' }],
  ['__proto__', { body: '{"__proto__":{"access_token":"at"}}' }, 'invalid: no_token'],
  ['302', redirect(302), 'invalid: redirect'],
  ['307', redirect(307), 'invalid: redirect'],
  ['nothing', { status: 204 }, 'invalid: body'],
  ['401', { status: 401 }, 'config: http_401'],
  ['429', { status: 429 }, 'limited: http_429'],
  ['503', { status: 503 }, 'unavailable: http_503'],
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
  for (const [name, answer, expected, fields] of ROWS) {
    for (const [kind, call] of Object.entries(calls)) {
      const shown = typeof expected === 'string' ? expected : 'tokens'
      it(`${kind}, ${name}: ${shown}, after one request`, async () => {
        const before = setup.provider.requests.length
        setup.provider.script('token', answer)
        const result = await call(setup.type(fields))
        expect(setup.provider.requests).to.have.length(before + 1)
        if (typeof expected === 'string') {
          expect(result.ok || `${result.class}: ${result.reason}`).to.equal(expected)
          return
        }
        const tokens: object = tokensOf(result)
        for (const [member, value] of Object.entries(expected)) {
          if (value === undefined) expect(tokens).to.not.have.property(member)
          else
            expect(tokens).to.have.property(
              member,
              member === 'expiresAt' ? now + Number(value) : value,
            )
        }
      })
    }
  }
})

const REDIRECT_URI = 'https://alice.example/accounts/bank/redirect'
const VERIFIER = 'v'.repeat(43)
const MODES: Readonly<Record<string, readonly [Partial<AccountType>, 'body' | 'basic' | 'query']>> =
  {
    form: [{}, 'body'],
    basic: [{ tokenMode: 'basic' }, 'basic'],
    get: [{ tokenMode: 'get' }, 'query'],
    'a JSON body': [{ tokenBodyFormat: 'json' }, 'body'],
    'basic with a JSON body': [{ tokenMode: 'basic', tokenBodyFormat: 'json' }, 'basic'],
  }

describe('a correct provider (connectors.md 6.2)', () => {
  let setup: TokenClientSetup
  beforeEach(async () => {
    setup = await openTokenClient()
  })
  afterEach(() => setup.close())

  /** What a browser brings back from the provider. */
  async function authorize(withChallenge: boolean): Promise<string> {
    const url = new URL(`${setup.provider.origin}/authorize`)
    url.search = new URLSearchParams({
      response_type: 'code',
      client_id: 'client-1',
      redirect_uri: REDIRECT_URI,
      scope: 'files calendar',
      ...(withChallenge && {
        code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
        code_challenge_method: 'S256',
      }),
    }).toString()
    const { headers } = await fetch(url, { redirect: 'manual' })
    return new URL(headers.get('location') ?? '').searchParams.get('code') ?? ''
  }

  for (const [mode, [fields, via]] of Object.entries(MODES)) {
    it(`exchanges with a verifier and refreshes by ${mode}`, async () => {
      const type = setup.type(fields)
      const input = {
        code: await authorize(true),
        redirectUri: REDIRECT_URI,
        state: 'state-1',
        codeVerifier: VERIFIER,
      }
      const first = tokensOf(await setup.client.exchange(type, input))
      expect(first).to.include({ tokenType: 'Bearer', scope: 'files calendar' })
      expect(setup.provider.grants.isLive(first.accessToken)).to.equal(true)
      const second = tokensOf(await setup.client.refresh(type, first.refreshToken ?? ''))
      expect(setup.provider.grants.isLive(second.accessToken)).to.equal(true)
      expect(second.refreshToken).to.not.equal(first.refreshToken)
      for (const request of setup.provider.requestsOf('token')) {
        expect(request.method).to.equal(via === 'query' ? 'GET' : 'POST')
        expect(request.client).to.deep.equal({ id: 'client-1', secret: 'secret-1', via })
        expect(request.headers).to.include({
          accept: 'application/json',
          'accept-encoding': 'identity',
          'user-agent': 'svc-connectors',
        })
        expect(request.headers).to.not.have.property('cookie')
        if (via !== 'query') expect(request.query.size).to.equal(0)
      }
    })
  }
})
