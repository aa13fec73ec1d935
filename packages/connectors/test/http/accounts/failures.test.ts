import { anyStore, type ScriptedAnswer } from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import type { AccountDocument } from '../../../src/accounts/account.ts'
import { codeIn, type RefreshServer, startRefresh } from '../../support/refresh-server.ts'

interface Case {
  readonly says: string
  readonly answer: ScriptedAnswer
  readonly status: number
  readonly code: string
  readonly retryAfter?: string
}

const refusal = (error: string, status = 400) => ({ status, body: { error } })

/** @see connectors.md 8.4, 10 */
const CASES: readonly Case[] = [
  {
    says: 'does not know this client',
    answer: refusal('invalid_client', 401),
    status: 502,
    code: 'oauth_provider_config_error',
  },
  {
    says: 'does not let this client refresh',
    answer: refusal('unauthorized_client'),
    status: 502,
    code: 'oauth_provider_config_error',
  },
  {
    says: 'refuses for another reason',
    answer: refusal('invalid_scope'),
    status: 502,
    code: 'oauth_provider_error',
  },
  {
    says: 'answers without a token',
    answer: { body: { token_type: 'Bearer' } },
    status: 502,
    code: 'oauth_provider_error',
  },
  {
    says: 'answers nonsense',
    answer: { body: '<html>' },
    status: 502,
    code: 'oauth_provider_error',
  },
  {
    says: 'fails',
    answer: { status: 500 },
    status: 502,
    code: 'oauth_provider_unavailable',
    retryAfter: '30',
  },
  {
    says: 'hangs up',
    answer: (_, response) => {
      response.destroy()
    },
    status: 502,
    code: 'oauth_provider_unavailable',
    retryAfter: '30',
  },
  {
    says: 'says nothing in time',
    answer: () => {},
    status: 504,
    code: 'oauth_provider_timeout',
    retryAfter: '30',
  },
  {
    says: 'wants a pause',
    answer: { status: 429, headers: { 'retry-after': '77' } },
    status: 503,
    code: 'oauth_provider_rate_limited',
    retryAfter: '77',
  },
  {
    says: 'wants a pause of weeks',
    answer: { status: 429, headers: { 'retry-after': '9999999' } },
    status: 503,
    code: 'oauth_provider_rate_limited',
    retryAfter: '3600',
  },
]

const REVOKED_DETAIL = 'OAuth refresh token is invalid or expired; reconnect account.'

describe('POST /accounts/:accountType/:accountId/refresh when the provider', () => {
  anyStore((open) => {
    let server: RefreshServer
    let account: AccountDocument
    let told: string[]

    beforeEach(async () => {
      const connectors = { lifetimes: { call: 300, connect: 200 } }
      server = await startRefresh({ store: await open(), connectors })
      await server.putImported()
      account = await server.importBank()
      told = []
      server.connectors.on('account.reconnect_required', ({ code }) => told.push(code))
    })
    afterEach(() => server.close())

    for (const { says, answer, status, code, retryAfter } of CASES) {
      it(`${says}: ${status} ${code}, and the tokens stay (8.4, 8.2.8, 10)`, async () => {
        server.provider.script('token', answer)
        const response = await server.refresh(account._id)
        expect([response.status, codeIn(response)]).to.deep.equal([status, code])
        expect(response.contentType).to.equal('application/vnd.api+json')
        expect(response.headers['retry-after']).to.equal(retryAfter)
        const { oauth } = await server.stored(account._id)
        const { status: state, last_error, ...tokens } = oauth ?? {}
        expect(state).to.equal('refresh_failing')
        expect(last_error?.code).to.equal(code)
        const { status: _, ...before } = account.oauth ?? {}
        expect(tokens).to.deep.equal(before)
        expect(told).to.deep.equal([])
      })
    }

    for (const [error, status] of [
      ['invalid_grant', 400],
      ['invalid_grant', 200],
      ['invalid_token', 401],
      ['gone_for_good', 400],
    ] as const) {
      it(`refuses the refresh token as ${error} with ${status}: 401 that is no bad bearer (10)`, async () => {
        await server.putImported({ revoked_errors: ['gone_for_good'] })
        server.provider.script('token', refusal(error, status))
        const response = await server.refresh(account._id)
        expect(response.status).to.equal(401)
        expect(response.headers).to.not.have.property('www-authenticate')
        expect(response.json()).to.deep.equal({
          errors: [
            {
              status: '401',
              code: 'oauth_refresh_invalid_token',
              title: 'Unauthorized',
              detail: REVOKED_DETAIL,
            },
          ],
        })
        const { oauth } = await server.stored(account._id)
        expect(oauth?.status).to.equal('reconnect_required')
        expect(oauth?.access_token_encrypted).to.equal(account.oauth?.access_token_encrypted)
        expect(oauth?.refresh_token_encrypted).to.equal(account.oauth?.refresh_token_encrypted)
        expect(told).to.deep.equal(['oauth_refresh_invalid_token'])
      })
    }

    it('refused a moment ago is asked again only when forced (8.5), and the owner is told once', async () => {
      server.provider.grants.revokeAll()
      for (const query of ['', '', '?force=true', '?force=false']) {
        const response = await server.refresh(account._id, { query })
        expect([query, response.status]).to.deep.equal([query, 401])
      }
      expect(server.provider.requestsOf('token')).to.have.lengthOf(2)
      expect(told).to.have.lengthOf(1)
    })

    it('failed before and works again: the account is connected, its error gone', async () => {
      server.provider.script('token', { status: 500 })
      await server.refresh(account._id)
      await server.refresh(account._id)
      const { oauth } = await server.stored(account._id)
      expect(oauth).to.include({ status: 'connected' }).and.not.have.property('last_error')
    })

    it('refuses without saying more to subscribers than our code', async () => {
      const body = { error: 'server_error', error_description: 'secret of the provider' }
      server.provider.script('token', { status: 400, body })
      server.heard.length = 0
      const response = await server.refresh(account._id)
      expect(response.text).to.not.include('secret of the provider')
      expect(JSON.stringify(server.heard)).to.not.include('secret of the provider')
      expect(server.heard.at(-1)?.doc).to.have.nested.property('oauth.status', 'refresh_failing')
    })
  })
})
