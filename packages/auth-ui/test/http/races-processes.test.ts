import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import type { Instance } from '@svc/platform'
import type { Store } from '@svc/store'
import { redisStore } from '@svc/store/redis'
import { type RedisServer, startRedisServer } from '@svc/store/testing'
import {
  type BrowserClient,
  type BrowserResponse,
  browserClient,
  needsRedis,
  relyingParty,
  redisPatience,
} from '@svc/testkit'
import { expect } from 'chai'
import { confirmed, lastMail, ownerAt } from '../support/factor-flows.ts'
import { resetLink } from '../support/reset.ts'
import { ROOMY_LIMITS } from '../support/roomy-limits.ts'
import {
  enroll,
  JSON_ONLY,
  lastPasscode,
  ownerOf,
  passStep1,
  passStep2,
} from '../support/second-step.ts'
import type { UiProcessArguments } from '../support/ui-process.ts'
import {
  ALICE,
  logIn,
  LOGIN_VALUE,
  loginValueOf,
  startUi,
  type UiServer,
  withAlice,
} from '../support/ui-server.ts'

const APP = 'https://drive.alice.example.com'

describe('one-time values, used at once from two processes of the system', function () {
  this.timeout(30_000)
  let redis: RedisServer
  let store: Store
  let children: ChildProcess[]
  let ports: number[]
  let server: UiServer
  let instance: Instance
  let client: { client_id: string; client_secret: unknown }

  before(async function () {
    needsRedis(this)
    redis = await startRedisServer()
    const key = randomBytes(32)
    const told: UiProcessArguments = { url: redis.url, key: key.toString('base64') }
    const program = path.join(import.meta.dirname, '../support/ui-process.ts')
    children = [1, 2].map(() => fork(program, [JSON.stringify(told)]))
    ports = await Promise.all(
      children.map(async (child) => Number((await once(child, 'message'))[0])),
    )
    store = redisStore({ url: redis.url, ...redisPatience() })
    ;({ server, instance } = await withAlice(
      startUi({ stays: true, store, key, ui: { limits: ROOMY_LIMITS } }),
      { email: 'alice@example.com' },
    ))
    await server.ui.owners.setMagicLink(instance, true)
    const party = relyingParty({ issuer: ALICE, port: server.port })
    const { client_id, client_secret } = await party.register()
    client = { client_id, client_secret }
  })
  after(async () => {
    for (const child of children ?? []) {
      if (child.exitCode !== null) continue
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    }
    await server?.close()
    await store?.close()
    await redis?.stop()
  })

  /** 50 requests, each from a browser of its own, half of them to each process. */
  function rush(
    send: (browser: BrowserClient, at: number) => Promise<BrowserResponse>,
    base = ALICE,
  ): Promise<BrowserResponse[]> {
    return Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        send(browserClient({ base, port: ports[at % 2] ?? 0 }), at),
      ),
    )
  }

  function expectOneStatus(
    answers: readonly BrowserResponse[],
    won: number,
    lost: readonly number[],
  ): void {
    expect(answers.filter(({ status }) => status === won)).to.have.lengthOf(1)
    for (const { status } of answers) expect(status).to.be.oneOf([won, ...lost])
  }

  function expectOne(answers: readonly BrowserResponse[], others: readonly number[]): void {
    const winners = answers.filter(
      (answer) => answer.status === 202 || answer.setCookie('svcsessid') !== undefined,
    )
    expect(winners).to.have.lengthOf(1)
    for (const answer of answers) {
      if (answer !== winners[0]) expect(answer.status).to.be.oneOf([...others])
    }
  }

  it('one of 50 uses of a session code wins', async () => {
    const code = await server.ui.owners.createSessionCode(instance)
    expectOne(await rush((browser) => browser.get(`${APP}/?session_code=${code}`)), [302])
  })

  it('one of 50 uses of a magic code wins', async () => {
    const { code } = await server.ui.owners.createMagicLinkCode(instance)
    const answers = await rush((browser, at) =>
      at % 4 < 2
        ? browser.post('/auth/magic_link/open', { code })
        : browser.postJson('/auth/magic_link/flagship', { ...client, magic_code: code }),
    )
    expectOne(answers, [401])
  })

  it('one of 50 uses of an email_verified_code wins', async () => {
    await server.ui.owners.setAuthMode(instance, 'two_factor_mail')
    const email_verified_code = await server.ui.owners.createEmailVerifiedCode(instance)
    const answers = await rush((browser) =>
      browser.postJson('/auth/login/flagship', {
        ...client,
        email_verified_code,
        passphrase: LOGIN_VALUE,
      }),
    )
    expectOne(answers, [401])
  })

  it('one of 50 uses of a register token wins', async () => {
    const { instance: bob, onboardingUrl = '' } = await server.ui.owners.createInstance({
      domain: 'bob.example.com',
    })
    const register_token = new URL(onboardingUrl).searchParams.get('registerToken') ?? ''
    const fields = { register_token, iterations: '50000' }
    const answers = await rush(
      (browser, at) =>
        browser.post('/settings/passphrase', { ...fields, passphrase: loginValueOf(at) }),
      bob.origin,
    )
    expectOneStatus(answers, 302, [400])
    expect(await server.ui.owners.listSessions(bob)).to.have.lengthOf(1)
  })

  it('one of 50 uses of a pair of the second step wins', async () => {
    const token = await passStep1(server.browser())
    const code = lastPasscode(server)
    expectOne(await rush((browser) => passStep2(browser, token, code)), [401])
  })

  for (const what of ['a recovery code', 'a code of the authenticator app']) {
    it(`one of 50 uses of ${what} wins, each with a challenge of its own`, async () => {
      const enrolled = await enroll(server, instance, 'mail', 'totp', 'recovery')
      const tokens: string[] = []
      while (tokens.length < 50) tokens.push(await passStep1(server.browser()))
      const code = what === 'a recovery code' ? enrolled.recoveryCodes[0] : enrolled.totp()
      expectOne(
        await rush((browser, at) => passStep2(browser, tokens[at] ?? '', code ?? '')),
        [401],
      )
    })
  }

  it('one of 50 uses of an activation code wins', async () => {
    await server.ui.owners.setAuthMode(instance, 'basic')
    const owner = await ownerAt(server)
    const fields = await confirmed(server)
    await owner.call('PUT', '/settings/factors/mail', fields)
    const { code } = lastMail(server, 'two_factor_mail_confirmation')
    const owners = await Promise.all(
      ports.map((port) => ownerAt(server, undefined, browserClient({ base: ALICE, port }))),
    )
    const answers = await rush(async (_browser, at) => {
      const call = owners[at % 2]?.call
      if (call === undefined) throw new Error('nobody there')
      return call('PUT', '/settings/factors/mail', { ...fields, code })
    })
    for (const { status } of answers) expect(status).to.be.oneOf([204, 422])
    const { factors } = await ownerOf(server, instance)
    expect(factors?.mail).not.to.equal(undefined)
    const again = await owner.call('PUT', '/settings/factors/mail', { ...fields, code })
    expect(again.status).to.equal(422)
  })

  it('one of 50 uses of a reset token wins', async () => {
    const asking = server.browser()
    const url = await resetLink(server, asking)
    const passphrase_reset_token = new URL(url).searchParams.get('token') ?? ''
    const csrf_token = asking.cookie('__Host-csrf')?.value ?? ''
    const fields = { csrf_token, passphrase_reset_token, iterations: '50000' }
    const headers = { cookie: `__Host-csrf=${csrf_token}` }
    const answers = await rush((browser, at) => {
      const passphrase = loginValueOf(at)
      return browser.post('/auth/passphrase_renew', { ...fields, passphrase }, { headers })
    })
    expectOneStatus(answers, 302, [400])
    const winner = answers.findIndex(({ status }) => status === 302)
    for (const [at, port] of ports.entries()) {
      const browser = browserClient({ base: ALICE, port })
      const passphrase = loginValueOf(winner)
      const right = await logIn(browser, { passphrase }, JSON_ONLY)
      expect(right.status, `process ${at}`).to.equal(200)
      expect((await logIn(browser.another())).status, `process ${at}`).to.equal(401)
    }
  })
})
