import { expect } from 'chai'
import { beforeEach, describe, it } from 'mocha'
import { type ConnectorsServer, startConnectors } from '../support/connectors-server.ts'
import {
  appQuery,
  begin,
  beginAndAllow,
  connect,
  errorCode,
  JSON_API,
  refusalOf,
} from '../support/flow-steps.ts'

type IdTokenOf = (server: ConnectorsServer, nonce: string) => Promise<string | undefined>

/** An id token that only says that it needs no signature. */
function unsigned({ provider }: ConnectorsServer, nonce: string): string {
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: provider.origin, aud: 'client-1', sub: 'B', iat: now, exp: now + 60, nonce }
  const parts = [{ alg: 'none' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  return `${parts.join('.')}.`
}

/** connectors.md 4.7 */
describe('GET /accounts/:accountType/:accountId/reconnect', () => {
  let server: ConnectorsServer
  let accountId: string

  beforeEach(async () => {
    server = await startConnectors({})
    await server.putType({ issuer: server.provider.origin })
    const query = await connect(server.browser(), '/accounts/bank/start?scope=openid')
    accountId = query.get('account') ?? ''
  })

  /** A flow whose token answer has this id token. */
  async function connectAs(
    path: string,
    idTokenOf: (nonce: string) => Promise<string | undefined>,
  ): Promise<unknown> {
    const browser = server.browser()
    const begun = await begin(browser, path)
    const id_token = await idTokenOf(begun.parameters.get('nonce') ?? '')
    server.provider.script('token', { body: { access_token: 'other', id_token } })
    return [...appQuery(await browser.get((await browser.follow(begun.answer)).location ?? ''))]
  }
  const reconnectPath = (query = ''): string => `/accounts/bank/${accountId}/reconnect${query}`

  it('writes nothing for another user of the provider', async () => {
    const before = await server.accountsOf()
    const told = await connectAs(reconnectPath('?scope=openid'), (nonce) =>
      server.provider.idToken({ sub: 'somebody-else', nonce }),
    )
    expect(told).to.deep.equal([['error', 'account_mismatch']])
    expect(await server.accountsOf()).to.deep.equal(before)
  })

  for (const [what, idTokenOf] of [
    ['a wrong nonce', (server) => server.provider.idToken({ sub: 'B', nonce: 'wrong' })],
    ['alg none', async (server, nonce) => unsigned(server, nonce)],
    [
      'another audience',
      (server, nonce) => server.provider.idToken({ sub: 'B', nonce, aud: 'c2' }),
    ],
    [
      'an end that is past',
      (server, nonce) => server.provider.idToken({ sub: 'B', nonce, exp: 1 }),
    ],
    ['no id token', async () => undefined],
  ] as readonly (readonly [string, IdTokenOf])[]) {
    it(`writes nothing for another user whose id token has ${what}, and knows the first one still`, async () => {
      const before = await server.accountsOf()
      for (const path of [reconnectPath('?scope=openid'), '/accounts/bank/start?scope=openid']) {
        const told = await connectAs(path, (nonce) => idTokenOf(server, nonce))
        expect(told).to.deep.equal([['error', 'invalid_response']])
        expect(await server.accountsOf()).to.deep.equal(before)
      }
      expect(server.logged.join('\n')).to.include('provider.id_token_refused')
    })
  }

  it('keeps the subject of the provider when the new one is unknown', async () => {
    await connect(server.browser(), reconnectPath())
    const [account] = await server.accountsOf()
    expect(account?.oauth).to.include({ subject: 'subject-1', status: 'connected' })
    const told = await connectAs(reconnectPath('?scope=openid'), (nonce) =>
      server.provider.idToken({ sub: 'B', nonce }),
    )
    expect(told).to.deep.equal([['error', 'account_mismatch']])
    expect(
      (await connect(server.browser(), reconnectPath('?scope=openid'))).has('account'),
    ).to.equal(true)
  })

  it('keeps no refresh token of before for a user that is unknown', async () => {
    server.provider.script('token', { body: { access_token: 'of somebody' } })
    await connect(server.browser(), reconnectPath())
    const [account] = await server.accountsOf()
    expect(account?.oauth?.refresh_token_encrypted).to.equal(undefined)
  })

  it('tells the app that an account went meanwhile', async () => {
    const browser = server.browser()
    const url = await beginAndAllow(browser, reconnectPath())
    const [account] = await server.accountsOf()
    await server.accounts.delete(server.alice, accountId, account?._rev ?? '')
    expect([...appQuery(await browser.get(url))]).to.deep.equal([['error', 'account_not_found']])
    expect(await server.accountsOf()).to.deep.equal([])
  })

  it('is refused for other accounts, types and apps', async () => {
    await server.putType({ _id: 'other' })
    await server.putType({ _id: 'imported', grant_mode: 'refresh_token' })
    for (const [path, status, code] of [
      ['bank/nothing/reconnect', 404, 'account_not_found'],
      [`bank/${'x'.repeat(129)}/reconnect`, 404, 'account_not_found'],
      ['bank/a%2fb/reconnect', 404, 'account_not_found'],
      [`other/${accountId}/reconnect`, 404, 'account_not_found'],
      [`nothing/${accountId}/reconnect`, 404, 'account_type_not_found'],
      [`imported/${accountId}/reconnect`, 400, 'grant_mode_not_interactive'],
      [`bank/${accountId}/reconnect?slug=nothing`, 400, 'invalid_slug'],
    ] as const) {
      const answer = await server.browser().get(`/accounts/${path}`, { headers: JSON_API })
      expect(refusalOf(answer), path).to.deep.equal([status, code])
    }
  })

  it('does not know the account of another owner', async () => {
    const bob = server.browser({ base: server.bob.origin })
    const answer = await bob.get(reconnectPath(), { headers: JSON_API })
    expect(errorCode(answer)).to.equal('account_not_found')
  })

  it('answers what is no visit 405 or 204', async () => {
    const browser = server.browser()
    for (const method of ['HEAD', 'POST', 'DELETE']) {
      const answer = await browser.request(method, reconnectPath())
      expect(answer.status, method).to.equal(405)
      expect(answer.headers['allow']).to.equal('GET')
    }
    const headers = { 'sec-purpose': 'prefetch' }
    expect((await browser.get(reconnectPath(), { headers })).status).to.equal(204)
  })

  it('logs in whoever brings a session code', async () => {
    server.logins.codes.add('code-1')
    const answer = await server
      .browser({ session: null })
      .get(reconnectPath('?session_code=code-1'))
    expect(answer.status).to.equal(302)
    expect(answer.setCookie('session')?.value).to.match(/^short-/)
  })
})
