import type { Instance } from '@svc/platform'
import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { refusalOf } from '../support/refusal.ts'
import { JSON_ONLY, mailsOf, resetLink } from '../support/reset.ts'
import { ask, startWithSettings } from '../support/settings-server.ts'
import {
  logIn,
  LOGIN_VALUE,
  loginValueOf,
  PASSPHRASE,
  type UiServer,
  withAlice,
} from '../support/ui-server.ts'

const NEW_VALUE = 'bmV3IGxvZ2luIHZhbHVlLCAzMiBieXRlcyBsb25nLi4='
const DERIVED = 'uv5OA7us+O5w4DxqyQR0gN1ROKIbRruaqbuumkNzNGY='
const CHANGE = { current_passphrase: LOGIN_VALUE, new_passphrase: NEW_VALUE, iterations: 50_000 }

describe('passphrase settings (login.md 7)', () => {
  let server: UiServer
  let browser: BrowserClient
  let instance: Instance
  beforeEach(async () => {
    ;({ server, instance, browser } = await withAlice(startWithSettings(), {
      email: 'alice@example.org',
    }))
    await logIn(browser)
  })

  const put = (json: unknown): Promise<BrowserResponse> =>
    ask(browser, 'PUT', '/settings/passphrase', json)

  describe('PUT /settings/passphrase', () => {
    it('replaces the passphrase: 204, and a new session of the same kind', async () => {
      const before = browser.cookie('svcsessid')?.value
      const answer = await put(CHANGE)
      expect(answer.status).to.equal(204)
      const cookie = answer.setCookie('svcsessid')
      expect(cookie?.value).not.to.equal(before)
      expect(cookie?.attributes).not.to.have.property('max-age')
      const [session, ...more] = await server.ui.owners.listSessions(instance)
      expect(more).to.deep.equal([])
      expect(session).to.include({ kind: 'normal', method: 'passphrase_change' })
      expect((await browser.get('/settings/sessions/current')).status).to.equal(200)
      expect((await logIn(browser.another())).status).to.equal(401)
      expect((await logIn(browser.another(), { passphrase: NEW_VALUE })).status).to.equal(302)
    })

    it('keeps a long session long', async () => {
      const long = browser.another()
      await logIn(long, { 'long-run-session': 'on' })
      const answer = await ask(long, 'PUT', '/settings/passphrase', CHANGE)
      expect(answer.setCookie('svcsessid')?.attributes['max-age']).to.equal('34560000')
      expect(await server.ui.owners.listSessions(instance)).to.have.lengthOf(1)
    })

    it('derives a raw passphrase itself', async () => {
      const raw = { current_passphrase: LOGIN_VALUE, new_passphrase: PASSPHRASE }
      expect((await put(raw)).status).to.equal(204)
      expect((await logIn(browser.another(), { passphrase: DERIVED })).status).to.equal(302)
      const zero = { current_passphrase: DERIVED, new_passphrase: PASSPHRASE, iterations: 0 }
      expect((await put(zero)).status).to.equal(204)
      expect((await logIn(browser.another(), { passphrase: DERIVED })).status).to.equal(302)
    })

    const refused: readonly [what: string, json: object, status: number, code: string][] = [
      ['a wrong passphrase', { current_passphrase: 'wrong' }, 400, 'invalid_passphrase'],
      ['an empty passphrase', { current_passphrase: '' }, 400, 'invalid_passphrase'],
      ['no passphrase', { current_passphrase: undefined }, 400, 'invalid_passphrase'],
      [
        'a pair instead of the passphrase while there is no second factor',
        { current_passphrase: undefined, two_factor_token: 'x', two_factor_passcode: '123456' },
        400,
        'invalid_passphrase',
      ],
      ['force', { current_passphrase: undefined, force: true }, 400, 'invalid_parameter'],
      ['force beside the passphrase', { force: true }, 400, 'invalid_parameter'],
      ['no new passphrase', { new_passphrase: undefined }, 400, 'invalid_parameter'],
      [
        'a new passphrase over 1024 bytes',
        { new_passphrase: 'é'.repeat(513) },
        400,
        'invalid_parameter',
      ],
      ['a hint over 512 bytes', { hint: 'é'.repeat(257) }, 400, 'invalid_hint'],
      ['a hint that is the passphrase', { hint: NEW_VALUE }, 400, 'invalid_hint'],
      ['words as a derived value', { new_passphrase: PASSPHRASE }, 400, 'invalid_parameter'],
      ['a key over 8 KiB', { key: 'x'.repeat(8193) }, 400, 'invalid_parameter'],
      ['two public keys', { public_key: 'a', publicKey: 'b' }, 400, 'invalid_parameter'],
      ['too few iterations', { iterations: 49_999 }, 422, 'kdf_iterations'],
      ['too many iterations', { iterations: 5_000_001 }, 422, 'kdf_iterations'],
      ['half an iteration', { iterations: 650_000.5 }, 422, 'kdf_iterations'],
      ['iterations as a text', { iterations: '650000' }, 400, 'invalid_parameter'],
      ['force as a text', { force: 'true' }, 400, 'invalid_parameter'],
    ]
    for (const [what, change, status, code] of refused) {
      it(`answers ${status} ${code} to ${what}, and changes nothing`, async () => {
        const answer = await put({ ...CHANGE, ...change })
        expect(refusalOf(answer)).to.equal(`${status} ${code}`)
        expect(answer.headers['www-authenticate']).to.equal(undefined)
        expect(answer.setCookie('svcsessid')).to.equal(undefined)
        expect(await server.ui.owners.listSessions(instance)).to.have.lengthOf(1)
        expect((await logIn(browser.another())).status).to.equal(302)
      })
    }

    it('counts wrong passphrases of a live session by themselves: ten in a quarter of an hour', async () => {
      const stranger = browser.another()
      await server.ui.owners.createSession(instance).then(({ cookie }) => {
        stranger.plantCookie(
          `${cookie.name}=${cookie.value}; Domain=alice.example.com; Path=/; Secure`,
        )
      })
      const wrong = { ...CHANGE, current_passphrase: 'wrong' }
      for (let at = 0; at < 10; at += 1) {
        expect((await ask(stranger, 'PUT', '/settings/passphrase', wrong)).status).to.equal(400)
      }
      const over = await ask(stranger, 'PUT', '/settings/passphrase', CHANGE)
      expect(over.status).to.equal(429)
      expect(Number(over.headers['retry-after'])).to.be.within(1, 900)
      expect((await logIn(browser.another())).status).to.equal(302)
    })

    it('lets no failures of strangers keep a live session out of the settings', async () => {
      for (let at = 0; at < 21; at += 1) await logIn(browser.another(), { passphrase: 'wrong' })
      expect((await logIn(browser.another())).status).to.equal(429)
      expect((await put(CHANGE)).status).to.equal(204)
    })

    it('needs the vault key when there is a vault, and takes keys in either spelling', async () => {
      const keys = { key: '0.iv|ct', public_key: 'pub', private_key: '2.iv|ct|mac' }
      expect((await put({ ...CHANGE, ...keys })).status).to.equal(204)
      const back = {
        current_passphrase: NEW_VALUE,
        new_passphrase: LOGIN_VALUE,
        iterations: 50_000,
      }
      const missing = await put(back)
      expect(refusalOf(missing)).to.equal('400 invalid_parameter')
      const alias = { key: '0.a|b', publicKey: 'pub', privateKey: '2.a|b|c' }
      expect((await put({ ...back, ...alias })).status).to.equal(204)
    })

    it('sets the first passphrase of an owner who logs in by mail, by force and once', async () => {
      const { instance: bob } = await server.ui.owners.createInstance(
        { domain: 'bob.example.com', email: 'bob@example.org' },
        undefined,
        { magicLink: true },
      )
      const { cookie } = await server.ui.owners.createSession(bob)
      const other = server.browser('https://bob.example.com')
      other.plantCookie(`${cookie.name}=${cookie.value}; Domain=bob.example.com; Path=/; Secure`)
      const force = { new_passphrase: LOGIN_VALUE, iterations: 50_000, force: true }
      expect((await ask(other, 'PUT', '/settings/passphrase', force)).status).to.equal(204)
      expect((await logIn(other.another())).status).to.equal(302)
      expect((await ask(other, 'PUT', '/settings/passphrase', force)).status).to.equal(400)
      expect((await server.ui.owners.access(bob)).passwordDefined).to.equal(true)
    })

    it('keeps the hint unless it is told one, or the hint is now the passphrase', async () => {
      const isThere = async (): Promise<boolean> =>
        (await ask(browser, 'GET', '/settings/hint')).status === 204
      await ask(browser, 'PUT', '/settings/hint', { hint: 'the old one' })
      let current = LOGIN_VALUE
      const change = async (more: object): Promise<void> => {
        const next = { current_passphrase: current, new_passphrase: NEW_VALUE, iterations: 50_000 }
        expect((await put({ ...next, ...more })).status).to.equal(204)
        current = NEW_VALUE
      }
      await change({})
      expect(await isThere()).to.equal(true)
      await change({ hint: '' })
      expect(await isThere()).to.equal(false)
      await change({ hint: PASSPHRASE })
      expect(await isThere()).to.equal(true)
      await change({ new_passphrase: LOGIN_VALUE })
      expect(await isThere()).to.equal(false)
    })

    it('lets one of several changes at once win', async () => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, at) => put({ ...CHANGE, new_passphrase: loginValueOf(at) })),
      )
      const winners = answers.flatMap(({ status }, at) => (status === 204 ? [at] : []))
      expect(winners).to.have.lengthOf(1)
      for (const { status } of answers) expect(status).to.be.oneOf([204, 400, 401, 429])
      const passphrase = loginValueOf(winners[0] ?? -1)
      expect((await logIn(browser.another(), { passphrase })).status).to.equal(302)
    })
  })

  describe('POST /settings/passphrase/check', () => {
    const check = (passphrase: string, who = browser): Promise<BrowserResponse> =>
      ask(who, 'POST', '/settings/passphrase/check', { passphrase })

    it('answers 204 to the right one and 403 to others', async () => {
      expect((await check(LOGIN_VALUE)).status).to.equal(204)
      for (const wrong of ['wrong', '', PASSPHRASE, 'x'.repeat(2000)]) {
        const answer = await check(wrong)
        expect(refusalOf(answer)).to.equal('403 invalid_passphrase')
        expect(answer.headers['www-authenticate']).to.equal(undefined)
      }
    })
  })

  describe('the hint', () => {
    const setHint = (hint: string): Promise<BrowserResponse> =>
      ask(browser, 'PUT', '/settings/hint', { hint })

    it('is there or not, and its text in no answer', async () => {
      const told = async (): Promise<BrowserResponse> => ask(browser, 'GET', '/settings/passphrase')
      expect((await ask(browser, 'GET', '/settings/hint')).status).to.equal(404)
      expect((await told()).text).not.to.include('hint')
      expect((await setHint('my first cat')).status).to.equal(204)
      const there = await ask(browser, 'GET', '/settings/hint')
      expect(there.status).to.equal(204)
      expect(there.text).to.equal('')
      expect((await told()).text)
        .to.include('"hint_defined":true')
        .and.not.include('my first cat')
      expect((await setHint('')).status).to.equal(204)
      expect((await ask(browser, 'GET', '/settings/hint')).status).to.equal(404)
    })

    it('answers 422 when it is the passphrase', async () => {
      const answer = await setHint(PASSPHRASE)
      expect(refusalOf(answer)).to.equal('422 invalid_hint')
      expect(answer.text).not.to.include(PASSPHRASE)
      expect((await ask(browser, 'GET', '/settings/hint')).status).to.equal(404)
    })

    it('answers 400 when it is too long or missing', async () => {
      expect((await setHint('é'.repeat(257))).status).to.equal(400)
      expect((await ask(browser, 'PUT', '/settings/hint', {})).status).to.equal(400)
    })
  })

  describe('PUT /settings/passphrase with the second factor on (login.md 7)', () => {
    beforeEach(() => server.ui.owners.setAuthMode(instance, 'two_factor_mail'))
    const first = { current_passphrase: LOGIN_VALUE, new_passphrase: NEW_VALUE, iterations: 50_000 }
    const second = { new_passphrase: NEW_VALUE, iterations: 50_000 }
    /** Passcode and token of a second step that an answer asks for. */
    function pairOf(answer: BrowserResponse): { token: string; passcode: string } {
      const token = answer.json<{ two_factor_token: string }>().two_factor_token
      return { token, passcode: mailsOf(server, 'two_factor').at(-1)?.variables.passcode ?? '' }
    }
    async function begin(): Promise<{ two_factor_token: string; two_factor_passcode: string }> {
      const { token, passcode } = pairOf(await put({ current_passphrase: LOGIN_VALUE }))
      return { two_factor_token: token, two_factor_passcode: passcode }
    }

    it('answers the first call with a token, and changes nothing', async () => {
      const answer = await put(first)
      expect(answer.status).to.equal(200)
      expect(answer.json()).to.have.all.keys('two_factor_token')
      expect(answer.setCookie('svcsessid')).to.equal(undefined)
      expect(mailsOf(server, 'two_factor').at(-1)?.variables.purpose).to.equal('passphrase')
      expect((await logIn(server.browser(), {}, JSON_ONLY)).status).to.equal(200)
    })

    it('answers the second call with 204 and a new session', async () => {
      const answer = await put({ ...second, ...(await begin()) })
      expect(answer.status).to.equal(204)
      expect(answer.setCookie('svcsessid')).not.to.equal(undefined)
      expect((await logIn(server.browser())).status).to.equal(401)
    })

    it('sends no passcode for a wrong passphrase', async () => {
      const answer = await put({ ...first, current_passphrase: 'wrong' })
      expect(refusalOf(answer)).to.equal('400 invalid_passphrase')
      expect(mailsOf(server, 'two_factor')).to.deep.equal([])
    })

    const bad: readonly [what: string, change: object, status: number, code: string][] = [
      ['a wrong code', { two_factor_passcode: '000000x' }, 400, 'two_factor_invalid'],
      ['no code', { two_factor_passcode: undefined }, 400, 'two_factor_invalid'],
      ['an empty code', { two_factor_passcode: '' }, 400, 'two_factor_invalid'],
      ['an unknown token', { two_factor_token: 'x'.repeat(96) }, 400, 'two_factor_expired'],
      ['iterations out of range', { iterations: 1 }, 422, 'kdf_iterations'],
      ['an empty passphrase', { new_passphrase: '' }, 400, 'invalid_parameter'],
      ['a hint that is the passphrase', { hint: NEW_VALUE }, 400, 'invalid_hint'],
    ]
    for (const [what, fields, status, code] of bad) {
      it(`answers ${status} ${code} to ${what}, and keeps the pair`, async () => {
        const pair = await begin()
        const answer = await put({ ...second, ...pair, ...fields })
        expect(refusalOf(answer)).to.equal(`${status} ${code}`)
        expect((await put({ ...second, ...pair })).status).to.equal(204)
      })
    }

    it('takes no token of another purpose', async () => {
      const { token, passcode } = pairOf(await logIn(server.browser(), {}, JSON_ONLY))
      const answer = await put({
        ...second,
        two_factor_token: token,
        two_factor_passcode: passcode,
      })
      expect(refusalOf(answer)).to.equal('400 two_factor_expired')
    })

    it('takes a pair once', async () => {
      const pair = await begin()
      expect((await put({ ...second, ...pair })).status).to.equal(204)
      expect((await put({ ...second, ...pair })).status).to.equal(400)
    })

    it('is still asked after a reset (security.md 36)', async () => {
      const other = server.browser()
      const url = await resetLink(server, other)
      const form = (await other.get(url)).page().form('/auth/passphrase_renew')
      await other.submit(form, { passphrase: NEW_VALUE, iterations: '50000' })
      const answer = await logIn(server.browser(), { passphrase: NEW_VALUE }, JSON_ONLY)
      expect(answer.json()).to.have.property('two_factor_token')
    })
  })
})
