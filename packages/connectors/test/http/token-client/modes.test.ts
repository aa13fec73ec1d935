import { createHash } from 'node:crypto'
import { expect } from 'chai'
import type { AccountType } from '../../../src/account-types/account-type.ts'
import { createSecret } from '../../../src/account-types/secrets.ts'
import {
  openTokenClient,
  type TokenClientSetup,
  tokensOf,
} from '../../support/token-client-setup.ts'

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

  it('says "revoked" of a refresh token that was used before', async () => {
    const { refreshToken } = setup.provider.grants.issue('client-1', 'files')
    tokensOf(await setup.client.refresh(setup.type(), refreshToken))
    expect(await setup.client.refresh(setup.type(), refreshToken)).to.deep.equal({
      ok: false,
      class: 'revoked',
      reason: 'invalid_grant',
    })
  })

  it('says "revoked" of a code with another redirect address', async () => {
    const code = await authorize(false)
    const input = { code, redirectUri: `${REDIRECT_URI}/`, state: 'state-1' }
    expect(await setup.client.exchange(setup.type(), input)).to.include({ class: 'revoked' })
  })

  it('says "config" of a wrong secret', async () => {
    const { refreshToken } = setup.provider.grants.issue('client-1', 'files')
    const type = setup.type({ clientSecret: createSecret('wrong') })
    expect(await setup.client.refresh(type, refreshToken)).to.deep.equal({
      ok: false,
      class: 'config',
      reason: 'invalid_client',
    })
  })

  it('refreshes where the type has another endpoint for it', async () => {
    const { refreshToken } = setup.provider.grants.issue('client-1', 'files')
    const type = setup.type({
      tokenEndpoint: 'https://nowhere.example/token',
      refreshEndpoint: `${setup.provider.origin}/token`,
    })
    expect(await setup.client.refresh(type, refreshToken)).to.include({ ok: true })
  })
})
