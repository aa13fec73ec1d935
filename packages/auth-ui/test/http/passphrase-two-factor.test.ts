import type { Instance } from '@svc/platform'
import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { JSON_ONLY, mailsOf, resetLink } from '../support/reset.ts'
import { ask, startWithSettings } from '../support/settings-server.ts'
import { createAlice, LOGIN_VALUE, logIn, type UiServer } from '../support/ui-server.ts'

const NEW_VALUE = 'bmV3IGxvZ2luIHZhbHVlLCAzMiBieXRlcyBsb25nLi4='

describe('PUT /settings/passphrase with the second factor on (login.md 7)', () => {
  let server: UiServer
  let browser: BrowserClient
  let instance: Instance
  beforeEach(async () => {
    server = await startWithSettings()
    ;({ instance } = await createAlice(server, { email: 'alice@example.org' }))
    browser = server.browser()
    await logIn(browser)
    await server.ui.owners.setAuthMode(instance, 'two_factor_mail')
  })
  afterEach(() => server.close())

  const first = { current_passphrase: LOGIN_VALUE, new_passphrase: NEW_VALUE, iterations: 50_000 }
  const second = { new_passphrase: NEW_VALUE, iterations: 50_000 }
  const put = (json: unknown): Promise<BrowserResponse> =>
    ask(browser, 'PUT', '/settings/passphrase', json)
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
    expect(answer.status).to.equal(400)
    expect(answer.json()).to.include({ code: 'invalid_passphrase' })
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
      expect(answer.status).to.equal(status)
      expect(answer.json()).to.include({ code })
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
    expect(answer.status).to.equal(400)
    expect(answer.json()).to.include({ code: 'two_factor_expired' })
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
