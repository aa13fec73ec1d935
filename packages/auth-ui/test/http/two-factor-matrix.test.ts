import type { Instance } from '@svc/platform'
import { type BrowserClient, type BrowserResponse, relyingParty } from '@svc/testkit'
import { expect } from 'chai'
import {
  enroll,
  JSON_ONLY,
  lastPasscode,
  ownerOf,
  passStep1,
  passStep2,
} from '../support/second-step.ts'
import { ask, startWithSettings } from '../support/settings-server.ts'
import { ALICE, LOGIN_VALUE, type UiServer, withAlice } from '../support/ui-server.ts'

const MANY = { limit: 1000, windowMs: 3_600_000 }
const LIMITS = { 'two-factor-generation': MANY }
const REDIRECT = 'https://client.example/callback'
const STATE = 'state'

interface Pair {
  readonly token: string
  readonly code: string
}

/** What takes pairs. */
interface Endpoint {
  readonly name: string
  /** First step. @returns its answer */
  begin(): Promise<BrowserResponse>
  /** Both steps at once. */
  complete(pair: Pair): Promise<BrowserResponse>
  /** Whether that answer says that the pair was good for what this endpoint is for. */
  isDone(answer: BrowserResponse): boolean
}

describe('pairs of the second step, of every purpose at every endpoint (security.md 39, 42)', () => {
  let server: UiServer
  let instance: Instance
  let owner: BrowserClient
  let client: { client_id: string; client_secret: string }
  let endpoints: readonly Endpoint[]
  beforeEach(async () => {
    ;({ server, instance } = await withAlice(startWithSettings({ ui: { limits: LIMITS } }), {
      email: 'alice@example.com',
    }))
    await enroll(server, instance, 'mail')
    const party = relyingParty({ issuer: ALICE, port: server.port, redirectUri: REDIRECT })
    const { client_id, client_secret } = await party.register()
    client = { client_id, client_secret: String(client_secret) }
    owner = server.browser()
    await passStep2(owner, await passStep1(owner), lastPasscode(server))
    await owner.get('/auth/login')
    endpoints = makeEndpoints()
  })

  function makeEndpoints(): readonly Endpoint[] {
    const names = ({ token, code }: Pair) => ({
      two_factor_token: token,
      two_factor_passcode: code,
    })
    const twoFactor = ({ token, code }: Pair): Promise<BrowserResponse> =>
      passStep2(server.browser(), token, code, {}, JSON_ONLY)
    const json = (path: string, more: object = {}) => {
      const body = { passphrase: LOGIN_VALUE, ...more }
      return (pair?: Pair): Promise<BrowserResponse> =>
        server.browser().postJson(path, { ...body, ...(pair === undefined ? {} : names(pair)) })
    }
    const settings = (path: string, first: object, second: object) => (pair?: Pair) =>
      ask(owner, 'PUT', path, pair === undefined ? first : { ...second, ...names(pair) })
    const move = async (pair?: Pair): Promise<BrowserResponse> => {
      const browser = server.browser()
      const query = { client_id: client.client_id, redirect_uri: REDIRECT, state: STATE }
      await browser.get(`/auth/authorize/move?${new URLSearchParams(query)}`)
      return browser.post('/auth/authorize/move', {
        ...query,
        passphrase: LOGIN_VALUE,
        csrf_token: browser.cookie('__Host-csrf')?.value,
        'two-factor-token': pair?.token,
        'two-factor-passcode': pair?.code,
      })
    }
    const flagship = json('/auth/login/flagship', client)
    const sessionCode = json('/auth/session_code')
    const change = {
      new_passphrase: 'YW5vdGhlciBsb2dpbiB2YWx1ZSBvZiAzMiBieXRlcy4=',
      iterations: 50_000,
    }
    const old = { current_passphrase: LOGIN_VALUE, ...change }
    const passphrase = settings('/settings/passphrase', old, change)
    const off = { auth_mode: 'basic', passphrase: LOGIN_VALUE }
    const authMode = settings('/settings/instance/auth_mode', off, off)
    const confirm = { passphrase: LOGIN_VALUE, state: STATE }
    return [
      {
        name: 'login',
        begin: () =>
          server.browser().post('/auth/login', { passphrase: LOGIN_VALUE }, { headers: JSON_ONLY }),
        complete: twoFactor,
        isDone: (answer) => answer.setCookie('svcsessid') !== undefined,
      },
      {
        name: 'confirm',
        begin: () => server.browser().post('/auth/confirm', confirm, { headers: JSON_ONLY }),
        complete: twoFactor,
        isDone: ({ text }) => /\?state=state&code=[0-9a-f]{32}#?"/.test(text),
      },
      {
        name: 'flagship',
        begin: flagship,
        complete: flagship,
        isDone: ({ status }) => status === 202,
      },
      {
        name: 'session_code',
        begin: sessionCode,
        complete: sessionCode,
        isDone: ({ status }) => status === 201,
      },
      {
        name: 'passphrase',
        begin: passphrase,
        complete: passphrase,
        isDone: ({ status }) => status === 204,
      },
      {
        name: 'auth_mode',
        begin: authMode,
        complete: authMode,
        isDone: ({ status }) => status === 204,
      },
      {
        name: 'move',
        begin: move,
        complete: move,
        isDone: ({ text }) => /callback\?code=[\w-]+&state=state&/.test(text),
      },
    ]
  }

  async function begin(endpoint: Endpoint): Promise<Pair> {
    const answer = await endpoint.begin()
    expect(endpoint.isDone(answer)).to.equal(false)
    expect(answer.setCookie('svcsessid')).to.equal(undefined)
    const { two_factor_token, redirect = ALICE } = answer.json<Record<string, string>>()
    const token = two_factor_token ?? new URL(redirect).searchParams.get('two_factor_token')
    return { token: token ?? '', code: lastPasscode(server) }
  }

  for (const purpose of [
    'login',
    'confirm',
    'flagship',
    'session_code',
    'passphrase',
    'auth_mode',
    'move',
  ]) {
    it(`one for ${purpose} is good for that alone, and outlives every other try`, async () => {
      const own = endpoints.find(({ name }) => name === purpose)
      if (own === undefined) throw new Error('no such endpoint')
      const pair = await begin(own)
      const before = await ownerOf(server, instance)
      for (const other of endpoints) {
        // Each of those finishes what the pair was made for, whichever that is.
        if (other.complete === own.complete || (purpose === 'move' && isPage(other))) continue
        const answer = await other.complete(pair)
        expect(other.isDone(answer), other.name).to.equal(false)
        expect(own.isDone(answer), other.name).to.equal(false)
        expect(answer.setCookie('svcsessid'), other.name).to.equal(undefined)
      }
      expect(await ownerOf(server, instance)).to.deep.equal(before)
      const answer = await own.complete(pair)
      const done = endpoints.filter((each) => each.isDone(answer)).map(({ name }) => name)
      expect(done).to.include(purpose)
      if (isPage(own)) expect(done).to.deep.equal([purpose])
    })
  }

  function isPage({ name }: Endpoint): boolean {
    return name === 'login' || name === 'confirm'
  }

  const without: readonly [what: string, pair: (pair: Pair) => Pair][] = [
    ['no code', ({ token }) => ({ token, code: '' })],
    ['a code of spaces', ({ token }) => ({ token, code: ' \t ' })],
    ['no token', ({ code }) => ({ token: '', code })],
    ['the token as code', ({ token }) => ({ token, code: token })],
    ['the passphrase as code', ({ token }) => ({ token, code: LOGIN_VALUE })],
  ]
  for (const [what, change] of without) {
    it(`no endpoint is satisfied by ${what}`, async () => {
      const before = await ownerOf(server, instance)
      for (const endpoint of endpoints) {
        const answer = await endpoint.complete(change(await begin(endpoint)))
        expect(endpoint.isDone(answer), endpoint.name).to.equal(false)
        expect(answer.setCookie('svcsessid'), endpoint.name).to.equal(undefined)
      }
      expect(await ownerOf(server, instance)).to.deep.equal(before)
    })
  }
})
