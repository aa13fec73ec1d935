import { anyStore, type ScriptedAnswer } from '@svc/testkit'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import type { AccountDocument } from '../../../src/accounts/account.ts'
import { refusalOf } from '../../support/flow-steps.ts'
import { type RefreshServer, startRefresh } from '../../support/refresh-server.ts'

type Case = readonly [
  says: string,
  answer: ScriptedAnswer,
  status: number,
  code: string,
  retryAfter?: string,
]

const refusal = (error: string, status = 400) => ({ status, body: { error } })
const paused = (retryAfter: string) => ({ status: 429, headers: { 'retry-after': retryAfter } })
const hangUp: ScriptedAnswer = (_, response) => void response.destroy()

/** @see connectors.md 8.4, 10 */
const CASES: readonly Case[] = [
  ['does not know this client', refusal('invalid_client', 401), 502, 'config_error'],
  ['does not let this client refresh', refusal('unauthorized_client'), 502, 'config_error'],
  ['refuses for another reason', refusal('invalid_scope'), 502, 'error'],
  ['answers without a token', { body: { token_type: 'Bearer' } }, 502, 'error'],
  ['answers nonsense', { body: '<html>' }, 502, 'error'],
  ['fails', { status: 500 }, 502, 'unavailable', '30'],
  ['hangs up', hangUp, 502, 'unavailable', '30'],
  ['says nothing in time', () => {}, 504, 'timeout', '30'],
  ['wants a pause', paused('77'), 503, 'rate_limited', '77'],
  ['wants a pause of weeks', paused('9999999'), 503, 'rate_limited', '3600'],
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

    for (const [says, answer, status, kind, retryAfter] of CASES) {
      const code = `oauth_provider_${kind}`
      it(`${says}: ${status} ${code}, and the tokens stay (8.4, 8.2.8, 10)`, async () => {
        server.provider.script('token', answer)
        const response = await server.refresh(account._id)
        expect(refusalOf(response)).to.deep.equal([status, code])
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
