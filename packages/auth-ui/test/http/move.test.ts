import type { Instance } from '@svc/platform'
import {
  type BrowserClient,
  type BrowserResponse,
  type RelyingParty,
  relyingParty,
} from '@svc/testkit'
import { expect } from 'chai'
import { refusalOf } from '../support/refusal.ts'
import {
  changeOwner,
  enroll,
  JSON_ONLY,
  lastPasscode,
  otherThan,
  passStep2,
  trustBrowser,
} from '../support/second-step.ts'
import { ALICE, LOGIN_VALUE, startUi, type UiServer, withAlice } from '../support/ui-server.ts'

const REDIRECT = 'https://mover.example/done?kept=%20as+is'
const STATE = 's p&a'

describe('/auth/authorize/move', () => {
  let server: UiServer
  let instance: Instance
  let browser: BrowserClient
  let party: RelyingParty
  let size: { used: number; quota?: number }
  beforeEach(async () => {
    size = { used: 1234.4 }
    ;({ server, instance, browser } = await withAlice(
      startUi({ ui: { move: { diskUsage: async () => size } } }),
    ))
    party = relyingParty({ issuer: ALICE, port: server.port, redirectUri: REDIRECT })
    await party.register({ redirect_uris: [REDIRECT, 'mover://done'] })
  })

  type Fields = Readonly<Record<string, string | undefined>>

  const asked = (changes: Fields = {}): Record<string, string> =>
    defined({
      state: STATE,
      client_id: party.client.client_id,
      redirect_uri: REDIRECT,
      ...changes,
    })
  const show = (changes: Fields = {}): Promise<BrowserResponse> =>
    browser.get(`/auth/authorize/move?${new URLSearchParams(asked(changes)).toString()}`)

  async function post(
    changes: Fields = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<BrowserResponse> {
    const page = await show()
    const token = page.page().form('/auth/authorize/move').value('csrf_token')
    const form = defined({ passphrase: LOGIN_VALUE, csrf_token: token, ...asked(), ...changes })
    return browser.post('/auth/authorize/move', form, { headers })
  }

  function locationOf(answer: BrowserResponse): string {
    expect(answer.status).to.equal(200)
    expect(answer.headers['content-type']).to.include('application/json')
    expect(answer.json()).to.have.all.keys('redirect')
    return answer.json<{ redirect: string }>().redirect
  }

  const MOVED =
    /^https:\/\/mover\.example\/done\?kept=%20as\+is&code=([\w-]+)&state=s%20p%26a&used=1234&vault=false&iss=https%3A%2F%2Falice\.example\.com$/

  it('shows the form to whoever asks, with what the passphrase is derived with', async () => {
    const page = await show()
    expect(page.status).to.equal(200)
    const form = page.page().form('/auth/authorize/move')
    expect(form.inputs).to.deep.equal(['passphrase'])
    expect(form.value('state')).to.equal(STATE)
    expect(form.value('redirect_uri')).to.equal(REDIRECT)
    expect(form.inputs).not.to.include('trusted-device-token')
    expect(page.text).to.include('data-iterations="50000"')
    expect(page.headers['cache-control']).to.equal('no-store')
  })

  const faults: readonly [changes: Fields, text: string][] = [
    [{ state: undefined }, 'The state parameter is mandatory'],
    [{ client_id: undefined }, 'The client_id parameter is mandatory'],
    [{ redirect_uri: undefined }, 'The redirect_uri parameter is mandatory'],
    [{ client_id: 'unknown' }, 'The client must be registered'],
    [
      { redirect_uri: 'https://evil.example/' },
      "The redirect_uri parameter doesn't match the registered ones",
    ],
  ]
  for (const [changes, text] of faults) {
    it(`answers 400 to GET and POST: ${text}`, async () => {
      const page = await show(changes)
      expect(page.status).to.equal(400)
      expect(page.text).to.include(text.replace("'", '&#39;'))
      const answer = await post(changes)
      expect(answer.status).to.equal(400)
      expect(answer.json<{ error: string }>().error).to.equal(text)
      expect(server.mails).to.deep.equal([])
    })
  }

  it('answers where the browser brings the code, which is good for exports and imports', async () => {
    const location = locationOf(await post())
    expect(location).to.match(MOVED)
    const pending = { url: '', state: STATE, codeVerifier: '' }
    const tokens = await party.exchange(location, pending)
    expect(tokens.scope).to.equal('io.svc.exports.requests io.svc.imports')
    const client = await server.oauth.clients.get(instance, party.client.client_id)
    expect(client?.pending).to.equal(false)
    expect(await server.ui.owners.listSessions(instance)).to.deep.equal([])
  })

  it('tells the quota when there is one, and of a vault', async () => {
    size = { used: 5, quota: 1000 }
    await changeOwner(server, instance, (owner) => ({ ...owner, keys: { key: 'sealed' } }))
    expect(locationOf(await post())).to.match(/&used=5&quota=1000&vault=true&iss=/)
  })

  it('brings it to a program, too', async () => {
    const location = locationOf(await post({ redirect_uri: 'mover://done' }))
    expect(location).to.match(/^mover:\/\/done\?code=[\w-]+&state=/)
  })

  it('takes redirect for redirect_uri, unless both differ', async () => {
    const alias = { redirect_uri: undefined, redirect: REDIRECT }
    expect(locationOf(await post(alias))).to.match(MOVED)
    expect(locationOf(await post({ redirect: REDIRECT }))).to.match(MOVED)
    expect((await post({ redirect: 'mover://done' })).status).to.equal(400)
    expect(
      (await post({ redirect_uri: undefined, redirect: 'https://evil.example/' })).status,
    ).to.equal(400)
  })

  it('answers 401 to a wrong passphrase, and counts it', async () => {
    const wrong = await post({ passphrase: 'wrong' })
    expect(refusalOf(wrong)).to.equal('401 invalid_passphrase')
    for (let count = 1; count < 20; count += 1) await post({ passphrase: 'wrong' })
    const limited = await post()
    expect(limited.status).to.equal(429)
    expect(limited.headers['retry-after']).to.match(/^\d+$/)
  })

  it('asks for the passphrase of a logged-in owner, too', async () => {
    await browser.post('/auth/login', { passphrase: LOGIN_VALUE })
    expect((await show()).status).to.equal(200)
    expect((await post({ passphrase: undefined })).status).to.equal(401)
  })

  describe('with the second factor on', () => {
    beforeEach(() => enroll(server, instance, 'mail'))

    async function begin(): Promise<URL> {
      return new URL(locationOf(await post()))
    }
    const tokenOf = (url: URL): string => url.searchParams.get('two_factor_token') ?? ''

    it('mails a passcode, and answers the page of the second step', async () => {
      const url = await begin()
      expect(url.origin + url.pathname).to.equal(`${ALICE}/auth/twofactor`)
      expect([...url.searchParams.keys()]).to.deep.equal([
        'two_factor_token',
        'state',
        'client_id',
        'redirect',
        'trusted_device_checkbox',
      ])
      expect(url.searchParams.get('redirect')).to.equal(REDIRECT)
      expect(server.mails.at(-1)?.variables).to.include({ purpose: 'move' })
      const page = await browser.get(url.href)
      expect(page.status).to.equal(200)
      expect(page.headers['content-security-policy']).to.include(
        "form-action 'self' https://mover.example",
      )
      expect(page.page().form('/auth/twofactor').inputs).not.to.include(
        'two-factor-generate-trusted-device-token',
      )
    })

    it('ends at the second step in JSON, for a plain form in a redirect', async () => {
      for (const accept of ['application/json', '*/*']) {
        const token = tokenOf(await begin())
        const fields = { client_id: party.client.client_id, state: STATE, redirect: REDIRECT }
        const answer = await passStep2(browser, token, lastPasscode(server), fields, { accept })
        expect(locationOf(answer)).to.match(MOVED)
        expect(answer.setCookies).to.deep.equal([])
      }
      const form = (await browser.get((await begin()).href)).page().form('/auth/twofactor')
      const code = { 'two-factor-passcode': lastPasscode(server) }
      const sent = await browser.submit(form, code)
      expect(sent.status).to.equal(302)
      expect(sent.location).to.match(MOVED)
    })

    it('takes the pair itself', async () => {
      const pair = {
        'two-factor-token': tokenOf(await begin()),
        'two-factor-passcode': lastPasscode(server),
      }
      const wrong = { ...pair, 'two-factor-passcode': otherThan(lastPasscode(server)) }
      const refused = await post(wrong)
      expect(refusalOf(refused)).to.equal('401 two_factor_invalid')
      expect((await post({ ...pair, state: 'another' })).status).to.equal(400)
      expect((await post({ ...pair, redirect_uri: 'mover://done' })).status).to.equal(400)
      expect((await post({ ...pair, passphrase: 'wrong' })).status).to.equal(401)
      expect(locationOf(await post(pair))).to.match(MOVED)
      expect((await post(pair)).json()).to.include({ code: 'two_factor_expired' })
    })

    it('is not skipped by a trusted device (D34)', async () => {
      const device = await trustBrowser(server, browser)
      const answer = await post({ 'trusted-device-token': device })
      expect(new URL(locationOf(answer)).pathname).to.equal('/auth/twofactor')
    })

    it('refuses fields of another move, and a challenge of another purpose', async () => {
      const token = tokenOf(await begin())
      const code = lastPasscode(server)
      const differing = [
        { redirect: 'https://evil.example/' },
        { client_id: 'another' },
        { state: 'another' },
        { confirm: 'true' },
      ]
      for (const fields of differing) {
        const answer = await passStep2(browser, token, code, fields, JSON_ONLY)
        expect(answer.status, JSON.stringify(fields)).to.equal(400)
      }
      const login = { passphrase: LOGIN_VALUE }
      const other = await browser.post('/auth/login', login, { headers: JSON_ONLY })
      const { two_factor_token: foreign } = other.json<{ two_factor_token: string }>()
      const pair = { 'two-factor-token': foreign, 'two-factor-passcode': lastPasscode(server) }
      expect((await post(pair)).json()).to.include({ code: 'two_factor_expired' })
    })

    it('checks the client again at the second step, and leads back to the start of a dead one', async () => {
      const token = tokenOf(await begin())
      await server.oauth.clients.revoke(instance, party.client.client_id, 'owner')
      const gone = await passStep2(browser, token, lastPasscode(server), {}, JSON_ONLY)
      expect(gone.status).to.equal(400)
      expect(gone.json<{ error: string }>().error).to.equal('The client must be registered')
      server.clock.advance(10 * 60_000)
      const dead = await passStep2(browser, token, '123456', {}, { accept: 'text/html' })
      expect(dead.status).to.equal(401)
      expect(dead.text).to.include('/auth/authorize/move?state=s+p%26a&amp;client_id=')
    })
  })
})

function defined(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}
