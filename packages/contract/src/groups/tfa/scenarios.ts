import type { Browser } from '../../drivers/browser.ts'
import type { Answered } from '../../model/evidence.ts'
import { jsonOf } from '../../model/expect.ts'
import type { World } from '../../world/world.ts'
import type { Scenario } from '../group.ts'

const JSON_TYPE = { Accept: 'application/json' }
const TRIES = 5
/** With the wrong codes of all others fewer than an owner may type within five minutes, even if each but one counts. */
const AT_ONCE = 3

/** Switches the second factor on, uses it in every way, and switches it off. */
export const secondFactor: Scenario = {
  id: 'tfa',
  needs: ['pages', 'apps', 'fresh', 'mailbox'],
  exclusive: 'fresh',
  async run(world) {
    const fresh = await world.fresh()
    const tfa = await SecondFactor.begin(fresh)
    await tfa.switchOn()
    await tfa.answerRightly()
    await tfa.guess()
    await tfa.answerAtOnce()
    await tfa.useElsewhere()
    await tfa.switchOff()
  },
}

type Ask = (label: string, json: object) => Promise<Answered>

class SecondFactor {
  readonly #world: World
  readonly #passphrase: string
  readonly #ask: Ask

  private constructor(world: World, passphrase: string, ask: Ask) {
    this.#world = world
    this.#passphrase = passphrase
    this.#ask = ask
  }

  static async begin(world: World): Promise<SecondFactor> {
    const owner = await world.owner()
    const settings = world.profile.apps?.settings ?? 'settings'
    const token = await world.agent.appToken('tfa.settings', owner, settings)
    const cookie = await owner.jar.getCookieString(world.base.href)
    const page = await world.browser().visit('tfa.form', world.url('/auth/login'))
    const { passphrase = '' } = await world.driver.passphraseFields(page)
    return new SecondFactor(world, passphrase, (label, json) =>
      world.send(label, '/settings/instance/auth_mode', {
        method: 'PUT',
        json,
        headers: { Authorization: `Bearer ${token}`, Cookie: cookie },
      }),
    )
  }

  async switchOn(): Promise<void> {
    const on = { auth_mode: 'two_factor_mail' }
    await this.#ask('tfa.on.without', on)
    await this.#ask('tfa.on.ask', { ...on, passphrase: this.#passphrase })
    const code = await this.#world.passcode('tfa.on.mail')
    await this.#ask('tfa.on.wrong', { ...on, two_factor_activation_code: wrongOf(code) })
    await this.#ask('tfa.on', { ...on, two_factor_activation_code: code })
  }

  async answerRightly(): Promise<void> {
    const browser = this.#world.browser()
    const { token, code } = await this.#pending('tfa.pending', browser)
    await browser.visit('tfa.pending.still', this.#world.url('/auth/login'))
    await this.#answer('tfa.wrong', browser, token, wrongOf(code))
    const done = await this.#answer('tfa.right', browser, token, code, {
      'two-factor-generate-trusted-device-token': 'true',
    })
    await browser.visit('tfa.right.after', this.#world.url('/auth/login'))
    await this.#answer('tfa.used', this.#world.browser(), token, code)
    const trusted = String(jsonOf(done)['two_factor_trusted_device_token'] ?? 'no-token')
    this.#world.secrets.learn('trusted-device-token', trusted)
    await this.#logIn('tfa.trusted', this.#world.browser(), { 'trusted-device-token': trusted })
    await this.#logIn('tfa.untrusted', this.#world.browser(), {
      'trusted-device-token': 'a'.repeat(43),
    })
    await this.#world.passcode('tfa.untrusted.mail')
    const another = this.#world.browser()
    const page = await another.visit('tfa.html.form', this.#world.url('/auth/login'))
    await another.submit('tfa.html', page, { passphrase: this.#passphrase })
    await this.#world.passcode('tfa.html.mail')
  }

  async guess(): Promise<void> {
    const browser = this.#world.browser()
    const { token, code } = await this.#pending('tfa.five', browser)
    for (let at = 1; at <= TRIES; at++) {
      await this.#answer(`tfa.five.wrong.${at}`, browser, token, wrongOf(code))
    }
    await this.#answer('tfa.five.right', browser, token, code)
  }

  async answerAtOnce(): Promise<void> {
    const { token, code } = await this.#pending('tfa.parallel.begin', this.#world.browser())
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, at) =>
        this.#answer(`tfa.parallel.answer.${at + 1}`, this.#world.browser(), token, code),
      ),
    )
  }

  async useElsewhere(): Promise<void> {
    const client = await this.#world.clients.shared('tfa')
    const post = (label: string, path: string, json: object) =>
      this.#world.send(label, path, { method: 'POST', json })
    const { id: client_id, secret: client_secret } = client
    const app = { passphrase: this.#passphrase, client_id, client_secret }
    await post('tfa.app', '/auth/login/flagship', app)
    await this.#world.passcode('tfa.app.mail')
    const asked = await post('tfa.code', '/auth/session_code', { passphrase: this.#passphrase })
    const code = await this.#world.passcode('tfa.code.mail')
    const token = String(jsonOf(asked)['two_factor_token'] ?? 'no-token')
    this.#world.secrets.learn('two_factor_token', token)
    await this.#answer('tfa.purpose', this.#world.browser(), token, code)
    const pair = (two_factor_passcode: string) => ({
      passphrase: this.#passphrase,
      two_factor_token: token,
      two_factor_passcode,
    })
    await post('tfa.code.wrong', '/auth/session_code', pair(wrongOf(code)))
    await post('tfa.code.right', '/auth/session_code', pair(code))
  }

  async switchOff(): Promise<void> {
    const off = { auth_mode: 'basic' }
    await this.#ask('tfa.off.without', off)
    const asked = await this.#ask('tfa.off.ask', { ...off, passphrase: this.#passphrase })
    const code = await this.#world.passcode('tfa.off.mail')
    await this.#logInPending('tfa.off.still')
    const token = String(jsonOf(asked)['two_factor_token'] ?? 'no-token')
    this.#world.secrets.learn('two_factor_token', token)
    await this.#ask('tfa.off', {
      ...off,
      passphrase: this.#passphrase,
      two_factor_token: token,
      two_factor_passcode: code,
    })
    await this.#logIn('tfa.off.after', this.#world.browser())
  }

  async #logInPending(label: string): Promise<void> {
    await this.#logIn(label, this.#world.browser())
    await this.#world.passcode(`${label}.mail`)
  }

  async #logIn(
    label: string,
    browser: Browser,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Answered> {
    const page = await browser.visit(`${label}.page`, this.#world.url('/auth/login'))
    const fields = { passphrase: this.#passphrase, ...more }
    return browser.submit(label, page, fields, { headers: JSON_TYPE })
  }

  /** The first step, and the code that was mailed for the second one. */
  async #pending(
    label: string,
    browser: Browser,
  ): Promise<{ readonly token: string; readonly code: string }> {
    const answer = await this.#logIn(label, browser)
    const token = String(jsonOf(answer)['two_factor_token'] ?? 'no-token')
    this.#world.secrets.learn('two_factor_token', token)
    return { token, code: await this.#world.passcode(`${label}.mail`) }
  }

  #answer(
    label: string,
    browser: Browser,
    token: string,
    passcode: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Answered> {
    const body = { 'two-factor-token': token, 'two-factor-passcode': passcode, ...more }
    return browser.visit(label, this.#world.url('/auth/twofactor'), {
      method: 'POST',
      headers: JSON_TYPE,
      body: new URLSearchParams(body).toString(),
    })
  }
}

/** Another code of the same form. */
function wrongOf(code: string): string {
  return code === '000000' ? '000001' : '000000'
}
