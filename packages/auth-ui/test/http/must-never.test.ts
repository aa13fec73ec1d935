import type { Instance } from '@svc/platform'
import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { confirmed } from '../support/factor-flows.ts'
import fc from 'fast-check'
import { fieldsOf, pathOf, rowsOf, sendTo, typed } from '../support/every-row.ts'
import { fromElsewhere, KINDS, type Place } from '../support/one-time-kinds.ts'
import { mailsOf } from '../support/reset.ts'
import { enroll, JSON_ONLY, passStep1 } from '../support/second-step.ts'
import { appToken, startWithSettings } from '../support/settings-server.ts'
import {
  ALICE,
  createAlice,
  LOGIN_VALUE,
  logIn,
  startUi,
  type UiServer,
} from '../support/ui-server.ts'

const MANY = { limit: 100_000, windowMs: 3_600_000 }
const BUCKETS = [
  'activation-code',
  'auth',
  'auth-ip',
  'confirm-code',
  'hint-change',
  'known-device',
  'magic-code-passphrase',
  'magic-link',
  'magic-link-send',
  'register-guess',
  'reset-guess',
  'session-code',
  'totp-enrolment',
  'two-factor',
  'two-factor-generation',
  'two-factor-token',
]
const UNLIMITED = Object.fromEntries(BUCKETS.map((name) => [name, MANY]))
const EMAIL = 'alice@example.com'
const EVIL = 'https://evil.example'
const EVIL_TARGETS = [
  `${EVIL}/`,
  '//evil.example/',
  '/\\evil.example/',
  'https:evil.example',
  `${ALICE}@evil.example/`,
  `${ALICE}.evil.example/`,
  `${ALICE}:443.evil.example/`,
  'https://evil.example%2f.alice.example.com/',
  'https://a.b.alice.example.com.evil.example/',
  'javascript:alert(1)//evil.example',
  'data:text/html,evil.example',
  'evil.example',
  'settings.evil.example/',
  `${ALICE}/\r\nLocation: ${EVIL}`,
]
const TARGET_NAMES = ['redirect', 'redirection', 'from', 'fallback', 'returnTo']

describe('what must never happen (login.md 10)', function () {
  this.timeout(20_000)
  let server: UiServer
  let instance: Instance
  beforeEach(async () => {
    server = await startWithSettings({
      ui: { limits: UNLIMITED },
      oauth: { trustProxy: 1 },
    })
    ;({ instance } = await createAlice(server, { email: EMAIL }))
  })

  async function secondPlace(): Promise<{ alice: Place; bob: Place }> {
    const made = await createAlice(server, { domain: 'bob.example.com', email: 'b@example.com' })
    for (const each of [instance, made.instance]) {
      await server.ui.owners.setMagicLink(each, true)
      await enroll(server, each, 'mail')
    }
    const at = (each: Instance): Place => ({
      server,
      instance: each,
      browser: () => server.browser(each.origin),
    })
    return { alice: at(instance), bob: at(made.instance) }
  }

  describe('10.1 a secret in a log or an error (over every flow: no-secret-leaks.test.ts)', () => {
    it('comes back from no endpoint that refuses it, in whatever field it came', async () => {
      const secret = 'Zm9yIHlvdXIgZXllcyBvbmx5'
      for (const row of rowsOf(server, 'POST', 'PUT', 'DELETE')) {
        const fields = Object.fromEntries(fieldsOf(row).map((name) => [name, secret]))
        const answer = await sendTo(server.browser(), row, fields, JSON_ONLY)
        expect(answer.status, pathOf(row)).to.be.lessThan(500)
        if (answer.status >= 400) expect(answer.text, pathOf(row)).not.to.include(secret)
      }
      expect(JSON.stringify(server.logged)).not.to.include(secret)
    })
  })

  describe('10.2 a way to another host (all forms: redirect-target.test.ts)', () => {
    it('is shown or taken by no page, whatever the query and the form say', async () => {
      const fresh = server.browser()
      await fresh.get('/auth/login')
      const csrf_token = fresh.cookie('__Host-csrf')?.value ?? ''
      for (const target of EVIL_TARGETS) {
        const asked = Object.fromEntries(TARGET_NAMES.map((name) => [name, target]))
        const query = new URLSearchParams({ ...asked, state: 's' }).toString()
        for (const row of rowsOf(server, 'GET')) {
          expectNoWayOut(await fresh.get(`${pathOf(row)}?${query}`))
        }
        for (const row of rowsOf(server, 'POST').filter(({ family }) => family === 'html')) {
          const fields = { ...asked, csrf_token, passphrase: LOGIN_VALUE, state: 's' }
          expectNoWayOut(await sendTo(fresh, row, fields))
        }
      }
    })

    function expectNoWayOut({ url, location, text, contentType }: BrowserResponse): void {
      if (location !== undefined) {
        const { host } = new URL(location, ALICE)
        expect(host, url).to.match(/^(?:[a-z0-9-]+\.)?alice\.example\.com$/)
      }
      if (contentType !== 'text/html') return
      expect(text, url).not.to.match(
        /(?:href|action|src)="(?:[a-z]*:?\/\/[^"/]*evil|javascript:|data:)/,
      )
    }
  })

  describe('10.3 a session by a GET', () => {
    it('is opened by no page, with everything right in its query', async () => {
      const token = await passStep1With(instance)
      const query = new URLSearchParams({
        passphrase: LOGIN_VALUE,
        'two-factor-token': token,
        two_factor_token: token,
        'two-factor-passcode': mailsOf(server, 'two_factor').at(-1)?.variables.passcode ?? '',
        code: (await server.ui.owners.createMagicLinkCode(instance)).code,
        email_verified_code: await server.ui.owners.createEmailVerifiedCode(instance),
        session_code: await server.ui.owners.createSessionCode(instance),
      }).toString()
      for (const row of rowsOf(server, 'GET')) {
        for (const method of ['GET', 'HEAD']) {
          const answer = await server.browser().request(method, `${pathOf(row)}?${query}`)
          expect(answer.setCookie('svcsessid'), row.path).to.equal(undefined)
        }
      }
      expect(await server.ui.owners.listSessions(instance)).to.deep.equal([])
    })
  })

  async function passStep1With(which: Instance): Promise<string> {
    await server.ui.owners.setMagicLink(which, true)
    await enroll(server, which, 'mail')
    return passStep1(server.browser(which.origin))
  }

  describe('10.4 a session cookie where nobody logged in', () => {
    it('comes with no answer to a right passphrase but those of a login', async () => {
      const answers: [string, BrowserResponse][] = []
      for (const headers of [JSON_ONLY, { accept: 'text/html' }]) {
        for (const row of rowsOf(server, 'POST')) {
          if (row.path === '/auth/login') continue
          const fields = { passphrase: LOGIN_VALUE, state: 's', client_id: 'x', client_secret: 'x' }
          answers.push([row.path, await sendTo(server.browser(), row, fields, headers)])
        }
      }
      await enroll(server, instance, 'mail')
      answers.push(['pending', await logIn(server.browser())])
      answers.push(['pending', await logIn(server.browser(), {}, JSON_ONLY)])
      answers.push(['wrong', await logIn(server.browser(), { passphrase: 'x' })])
      for (const [path, answer] of answers) {
        expect(answer.setCookie('svcsessid'), path).to.equal(undefined)
      }
      expect(await server.ui.owners.listSessions(instance)).to.deep.equal([])
    })
  })

  describe('10.5 a value minted for something else', () => {
    for (const made of KINDS) {
      it(`a ${made.name} is good for itself alone, here alone, and until the passphrase changes`, async () => {
        const { alice, bob } = await secondPlace()
        const value = await made.make(alice)
        for (const kind of KINDS) {
          expect(await kind.accepts(bob, value), `${kind.name} of bob`).to.equal(false)
          if (kind === made) continue
          expect(await kind.accepts(alice, value), kind.name).to.equal(false)
        }
        expect(await made.accepts(alice, value)).to.equal(true)
        const late = await made.make(alice)
        const loginValue = await changedPassphrase()
        expect(await made.accepts({ ...alice, loginValue }, late)).to.equal(false)
      })
    }

    /** By the operator, who alone keeps every mail and link out of it. @returns the new login value */
    async function changedPassphrase(): Promise<string> {
      await server.ui.owners.resetPassphrase(instance, 'correct horse battery staple')
      return 'uv5OA7us+O5w4DxqyQR0gN1ROKIbRruaqbuumkNzNGY='
    }
  })

  describe('10.6 two uses of a single-use value (in parallel: races*.test.ts, two-factor-races.test.ts)', () => {
    for (const name of ['session code', 'email_verified_code'] as const) {
      it(`one of ten uses of a ${name} wins, the first`, async () => {
        const kind = KINDS.find((each) => each.name === name)
        if (kind === undefined) throw new Error(`there is no ${name}`)
        const { alice } = await secondPlace()
        const value = await kind.make(alice)
        const uses = await Promise.all(Array.from({ length: 10 }, () => kind.accepts(alice, value)))
        expect(uses.filter((isGood) => isGood)).to.have.lengthOf(1)
        expect(await kind.accepts(alice, value)).to.equal(false)
      })
    }
  })

  describe('10.8 strangers who lock the owner out (passphrases: rate-limits.test.ts)', () => {
    it('wrong values of every kind from elsewhere leave the right ones of the owner good', async () => {
      const strict = await startUi({ oauth: { trustProxy: 1 } })
      const made = await createAlice(strict, { email: EMAIL })
      await strict.ui.owners.setMagicLink(made.instance, true)
      const here = (): BrowserClient => strict.browser(ALICE, { 'x-forwarded-for': '192.0.2.1' })
      const place: Place = { server: strict, instance: made.instance, browser: here }
      const stranger = strict.browser(ALICE, { 'x-forwarded-for': '198.51.100.1' })
      for (let at = 0; at < 61; at += 1) {
        await stranger.get('/auth/magic_link?code=x')
        await stranger.get(`/auth/passphrase_renew?token=${'0'.repeat(32)}`)
        await stranger.get(`/auth/confirm/${'0'.repeat(32)}`)
        await stranger.get(`/?registerToken=${'0'.repeat(32)}`)
      }
      for (const name of ['magic code', 'reset token', 'confirmation code', 'session code']) {
        const kind = KINDS.find((each) => each.name === name)
        expect(await kind?.accepts(place, await kind.make(place)), name).to.equal(true)
      }
    })

    it('wrong register tokens from elsewhere leave the right one good', async () => {
      const strict = await startUi({ oauth: { trustProxy: 1 } })
      const { onboardingUrl } = await createAlice(strict, {}, { isOnboarded: false })
      const stranger = strict.browser(ALICE, { 'x-forwarded-for': '198.51.100.1' })
      for (let at = 0; at < 31; at += 1) {
        await stranger.post('/settings/passphrase', { register_token: '0'.repeat(32) })
      }
      const owner = strict.browser(ALICE, { 'x-forwarded-for': '192.0.2.1' })
      const form = (await owner.get(onboardingUrl)).page().form('/settings/passphrase')
      const chosen = { passphrase: LOGIN_VALUE, iterations: '50000' }
      expect((await owner.submit(form, chosen)).status).to.equal(302)
    })
  })

  describe('10.9 a value that the client chose', () => {
    const planted = 'A'.repeat(22)
    for (const name of [
      'svcsessid',
      '__Host-csrf',
      '__Secure-svcknown',
      '__Secure-magic-request',
    ]) {
      it(`${name} is adopted from no cookie`, async () => {
        await server.ui.owners.setMagicLink(instance, true)
        const long = planted.padEnd(32, 'B')
        const headers = { cookie: `${name}=${planted}; ${name}=${long}` }
        const browser = server.browser(ALICE, headers)
        const answers = [
          await browser.get('/auth/login'),
          await logIn(browser),
          await browser.post('/auth/magic_link', {}),
        ]
        const values = answers.flatMap(({ setCookies }) => setCookies.map(({ value }) => value))
        expect(values.length).to.be.greaterThan(2)
        for (const value of values) expect(value).not.to.include(planted)
      })
    }

    it('a trusted-device token is none that nobody made', async () => {
      await enroll(server, instance, 'mail')
      const fields = { 'trusted-device-token': 'A'.repeat(43) }
      expect((await logIn(server.browser(), fields)).status).to.equal(200)
    })
  })

  describe('10.10 a value used up by what is refused', () => {
    for (const kind of KINDS) {
      it(`a ${kind.name} outlives HEAD and requests of other sites`, async () => {
        const { alice } = await secondPlace()
        const value = await kind.make(alice)
        for (const probe of kind.probes(value)) {
          const { status } = await fromElsewhere(alice.browser(), probe)
          expect(status, probe.url).to.be.oneOf(probe.method === 'HEAD' ? [200, 204] : [403])
        }
        if (kind.name === 'session code') {
          await alice
            .browser()
            .request('HEAD', `https://drive.alice.example.com/?session_code=${value}`)
        }
        expect(await kind.accepts(alice, value)).to.equal(true)
      })
    }

    it('origin comes before everything: no form of another site is counted or compared', async () => {
      const before = server.mails.length
      for (const row of rowsOf(server, 'POST').filter(({ csrf }) => csrf !== undefined)) {
        for (let at = 0; at < 3; at += 1) {
          const headers = { 'sec-fetch-site': 'cross-site', origin: EVIL }
          const answer = await sendTo(server.browser(), row, { passphrase: 'wrong' }, headers)
          expect(answer.status, row.path).to.equal(403)
        }
      }
      expect(server.mails.length).to.equal(before)
      expect(server.logged.filter(([event]) => event === 'login.failed')).to.deep.equal([])
    })
  })

  describe('10.11 malformed input', () => {
    it('ends in 500 at no endpoint, as JSON or form, with or without a session', async () => {
      const owner = server.browser()
      await logIn(owner)
      const token = await appToken(owner)
      await owner.get('/auth/passphrase_reset?from=settings')
      const known = new Map<string, string | undefined>([
        ...Object.entries(await confirmed(server)),
        ['csrf_token', owner.cookie('__Host-csrf')?.value],
      ])
      // The owner stays logged in.
      const rows = rowsOf(server, 'POST', 'PUT', 'DELETE').filter(
        ({ method, path }) => method !== 'DELETE' || !path.startsWith('/auth/login'),
      )
      const text = fc.oneof(
        fc.string({ unit: 'binary', maxLength: 40 }),
        fc.constantFrom('\ud800', '%ff', '\u0000', '__proto__', '[]', '9'.repeat(400), LOGIN_VALUE),
      )
      const value = fc.oneof(text, fc.jsonValue({ maxDepth: 2 }))
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...rows),
          fc.array(value, { minLength: 24, maxLength: 24 }),
          fc.boolean(),
          async (row, values, isOwner) => {
            const names = [...fieldsOf(row), 'csrf_token', '__proto__', 'constructor']
            // What guards the rest of a row is right for the owner, so that the rest is reached.
            const guards = isOwner ? known : new Map<string, string>()
            const pairs = names.map(
              (name, at) => [name, guards.get(name) ?? values[at % values.length]] as const,
            )
            const form = pairs.map(([name, each]) => `${name}=${toText(each)}`).join('&')
            for (const [type, body] of [
              ['application/json', JSON.stringify(Object.fromEntries(pairs))],
              ['application/json', JSON.stringify(values[0])],
              ['application/x-www-form-urlencoded', form],
            ] as const) {
              const answer = await (isOwner ? owner : server.browser()).request(
                row.method,
                pathOf(row),
                {
                  headers: {
                    ...typed(type, body),
                    ...(isOwner ? { authorization: `Bearer ${token}` } : {}),
                  },
                  body: Buffer.from(body),
                },
              )
              expect(answer.status, `${row.method} ${row.path}`).to.be.lessThan(500)
            }
          },
        ),
        { numRuns: 400, examples: rows.map((row) => [row, Array(24).fill('x'), true]) },
      )
    }).timeout(60_000)
  })
})

/** Not `String`: among the values are objects whose `toString` is none. */
function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
