import { freePort, scaledLimit, type ScriptedAnswer, timeBudget } from '@svc/testkit'
import { expect } from 'chai'
import { createSecret } from '../../../src/account-types/secrets.ts'
import type { Lifetimes } from '../../../src/lifetimes.ts'
import { openTokenClient, type TokenClientSetup } from '../../support/token-client-setup.ts'

const RESET: ScriptedAnswer = (_request, response) => void response.socket?.resetAndDestroy()
const SILENCE: ScriptedAnswer = () => {}
const DRIP: ScriptedAnswer = (_request, response) => {
  const timer = setInterval(() => response.write(' '), 20)
  response.once('close', () => clearInterval(timer))
}
const HUGE: ScriptedAnswer = { body: `{"access_token":"${'a'.repeat(1_100_000)}"}` }

describe('calls to a token endpoint (connectors.md 6.1, 6.4, 13)', () => {
  const setups: TokenClientSetup[] = []
  afterEach(async () => {
    await Promise.all(setups.splice(0).map((setup) => setup.close()))
  })

  async function open(lifetimes: Partial<Lifetimes> = {}): Promise<TokenClientSetup> {
    const setup = await openTokenClient({ lifetimes })
    setups.push(setup)
    return setup
  }

  /** Class, how many requests arrived, and how many attempts the log tells of. */
  async function outcome(setup: TokenClientSetup, ...answers: ScriptedAnswer[]): Promise<unknown> {
    const { provider, client, log } = setup
    provider.script('token', ...answers)
    const { refreshToken } = provider.grants.issue('client-1', 'files')
    const result = await client.refresh(setup.type(), refreshToken)
    const [fields] = [...log.of('provider.called'), ...log.of('provider.failed')]
    return [
      result.ok ? 'ok' : result.class,
      provider.requestsOf('token').length,
      fields?.['attempts'] ?? 1,
    ]
  }

  describe('attempts (6.4)', () => {
    const once: readonly (readonly [string, ScriptedAnswer, string])[] = [
      ['a connection that breaks after the request', RESET, 'unavailable'],
      ['500', { status: 500 }, 'unavailable'],
      ['502 with Retry-After', { status: 502, headers: { 'retry-after': '0' } }, 'unavailable'],
      ['503 without Retry-After', { status: 503 }, 'unavailable'],
      ['503 to come again in 6 s', { status: 503, headers: { 'retry-after': '6' } }, 'unavailable'],
      [
        '429 to come again in an hour',
        { status: 429, headers: { 'retry-after': '3600' } },
        'limited',
      ],
      ['400 with Retry-After', { status: 400, headers: { 'retry-after': '0' } }, 'error'],
      [
        '429 that says "revoked"',
        { status: 429, headers: { 'retry-after': '0' }, body: { error: 'invalid_grant' } },
        'revoked',
      ],
      ['more than 1 MiB', HUGE, 'invalid'],
      ['200 and no token', { body: {} }, 'invalid'],
    ]
    for (const [what, answer, expected] of once) {
      it(`one after ${what}`, async () => {
        expect(await outcome(await open(), answer)).to.deep.equal([expected, 1, 1])
      })
    }
    const limits = { connect: timeBudget(2000), call: scaledLimit(300) }
    for (const [what, answer] of [
      ['silence', SILENCE],
      ['an answer that drips', DRIP],
    ] as const) {
      it(`one after ${what}, and an end in time`, async () => {
        const startedAt = performance.now()
        expect(await outcome(await open(limits), answer)).to.deep.equal(['timeout', 1, 1])
        expect(performance.now() - startedAt).to.be.within(limits.call - 10, timeBudget(3000))
      })
    }
    for (const status of [503, 429]) {
      for (const value of ['0', '1', new Date(Date.now() - 5000).toUTCString()]) {
        it(`two after ${status} to come again soon (${value})`, async () => {
          const answer = { status, headers: { 'retry-after': value } }
          expect(await outcome(await open(), answer)).to.deep.equal(['ok', 2, 2])
        })
      }
    }
    it('never more than two', async () => {
      const again = { status: 503, headers: { 'retry-after': '0' } }
      expect(await outcome(await open(), again, again, again)).to.deep.equal(['unavailable', 2, 2])
    })
    it('no second one that would end after the whole time', async () => {
      const setup = await open({ call: 4900 })
      const answer = { status: 503, headers: { 'retry-after': '5' } }
      expect(await outcome(setup, answer)).to.deep.equal(['unavailable', 1, 1])
    })
    it('both within the whole time', async () => {
      const call = 1000 + scaledLimit(500)
      const setup = await open({ call })
      const startedAt = performance.now()
      const again = { status: 429, headers: { 'retry-after': '1' } }
      expect(await outcome(setup, again, SILENCE)).to.deep.equal(['timeout', 2, 2])
      expect(performance.now() - startedAt).to.be.within(call - 10, call + timeBudget(900))
    })
    it('two when the name was not found, and the second finds it', async () => {
      let lookups = 0
      const setup = await openTokenClient({
        provider: { hostname: 'provider.example' },
        lookup: async () => {
          lookups += 1
          if (lookups === 1) throw new Error('EAI_AGAIN')
          return ['127.0.0.1']
        },
      })
      setups.push(setup)
      expect(await outcome(setup)).to.deep.equal(['ok', 1, 2])
      expect(lookups).to.equal(2)
    })
    it('two when the connection is refused', async () => {
      const setup = await open()
      const type = setup.type({ tokenEndpoint: `http://127.0.0.1:${await freePort()}/token` })
      expect(await setup.client.refresh(type, 'rt-1')).to.include({ class: 'unavailable' })
      expect(setup.log.of('provider.failed').at(-1)).to.include({ attempts: 2 })
    })
    it('two when TLS fails, since nothing was sent', async () => {
      const setup = await open({ connect: timeBudget(200) })
      const type = setup.type({
        tokenEndpoint: setup.type().tokenEndpoint?.replace('http', 'https'),
      })
      expect(await setup.client.refresh(type, 'rt-1')).to.include({ class: 'unavailable' })
      expect(setup.log.of('provider.failed').at(-1)).to.include({ attempts: 2 })
      expect(setup.provider.requests).to.have.length(0)
    })
  })

  it('asks nobody when the guard refuses, and does not say why', async () => {
    const setup = await open()
    const type = setup.type({ isTrustedNetwork: false })
    expect(await setup.client.refresh(type, 'rt-1')).to.deep.equal({
      ok: false,
      class: 'error',
      reason: 'refused',
    })
    expect(setup.provider.requests).to.have.length(0)
  })

  it('does not bring the secret to where a redirect points', async () => {
    const setup = await open()
    const other = await open()
    setup.provider.script('token', {
      status: 307,
      headers: { location: `${other.provider.origin}/token` },
    })
    const result = await setup.client.refresh(setup.type(), 'rt-1')
    expect(result).to.include({ class: 'invalid', reason: 'redirect' })
    expect(other.provider.requests).to.have.length(0)
    expect(setup.provider.requests).to.have.length(1)
  })

  it('says "config" of a type without any endpoint', async () => {
    const setup = await open()
    const type = setup.type({ tokenEndpoint: undefined })
    expect(await setup.client.refresh(type, 'rt-1')).to.include({ class: 'config' })
  })

  it('refreshes where the type has another endpoint for it', async () => {
    const setup = await open()
    const { refreshToken } = setup.provider.grants.issue('client-1', 'files')
    const type = setup.type({
      tokenEndpoint: 'https://nowhere.example/token',
      refreshEndpoint: `${setup.provider.origin}/token`,
    })
    expect(await setup.client.refresh(type, refreshToken)).to.include({ ok: true })
  })

  describe('the log (13)', () => {
    it('has one line a call, with everything it may say', async () => {
      const setup = await open()
      const { refreshToken } = setup.provider.grants.issue('client-1', 'files')
      const about = { instance: 'alice.example', requestId: 'request-1' }
      const named = { domain: about.instance, request_id: about.requestId }
      await setup.client.refresh(setup.type({ tokenMode: 'basic' }), refreshToken, about)
      setup.provider.script('token', {
        status: 400,
        body: { error: 'invalid_grant', error_description: 'it is\nover' },
      })
      const input = { code: 'code-123456', redirectUri: 'https://a.example/r', state: 'state-1234' }
      await setup.client.exchange(setup.type(), input, about)
      const [first, second, ...others] = setup.log.lines
      expect(others).to.have.length(0)
      expect(first).to.deep.equal({
        level: 'info',
        event: 'provider.called',
        fields: {
          ...named,
          type: 'bank',
          kind: 'refresh',
          mode: 'basic',
          class: 'ok',
          status: 200,
          ms: first?.fields?.['ms'],
        },
      })
      expect(first?.fields?.['ms']).to.be.a('number')
      expect(second).to.deep.equal({
        level: 'warn',
        event: 'provider.failed',
        fields: {
          ...named,
          type: 'bank',
          kind: 'exchange',
          mode: 'form',
          class: 'revoked',
          status: 400,
          reason: 'invalid_grant',
          description: 'it isover',
          ms: second?.fields?.['ms'],
        },
      })
    })

    it('shows nothing that was sent, though the provider repeats it', async () => {
      const setup = await open()
      const clientSecret = createSecret('secret-of-client')
      const echo: ScriptedAnswer = ({ body }, response) => {
        const all = Object.fromEntries(new URLSearchParams(body))
        response.statusCode = 400
        response.end(
          JSON.stringify({
            error: `bad ${all['code'] ?? all['refresh_token']} of ${all['client_secret']}`,
            error_description: body,
          }),
        )
      }
      setup.provider.script('token', echo, echo)
      const type = setup.type({ clientSecret, sendsNonceOnToken: true })
      const sent = {
        code: 'code/123456+',
        redirectUri: 'https://a.example/r',
        state: 'state-1234',
        nonce: 'nonce-1234',
        codeVerifier: 'verifier-1234',
      }
      const results = [
        await setup.client.exchange(type, sent),
        await setup.client.refresh(type, 'refresh-token-1234'),
      ]
      const shown = JSON.stringify([results, setup.log.lines])
      expect(shown).to.include('bad [redacted] of [redacted]')
      const { redirectUri: _, ...secrets } = sent
      for (const secret of [...Object.values(secrets), 'refresh-token-1234', 'secret-of-client']) {
        expect(shown).to.not.include(secret)
        expect(shown).to.not.include(encodeURIComponent(secret))
      }
    })

    it('has no address of a GET, which carries the secret', async () => {
      const setup = await open()
      const type = setup.type({ tokenMode: 'get' })
      await setup.client.refresh(type, 'refresh-token-1234')
      setup.provider.script('token', RESET)
      await setup.client.refresh(type, 'refresh-token-1234')
      const shown = JSON.stringify(setup.log.lines)
      expect(shown).to.not.include('refresh-token-1234')
      expect(shown).to.not.include('http')
    })
  })
})
