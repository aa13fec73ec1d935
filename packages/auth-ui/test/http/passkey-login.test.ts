import { type BrowserClient, eachStore } from '@svc/testkit'
import { expect } from 'chai'
import { lastMail, type OwnerAt, ownerAt, startFactors } from '../support/factor-flows.ts'
import {
  enablePasskey,
  loginOptions,
  passkeyLogin,
  postCredential,
} from '../support/passkey-flows.ts'
import {
  foreignKey,
  type SoftwareAuthenticator,
  softwareAuthenticator,
  type Tampering,
} from '../support/software-authenticator.ts'
import { ALICE, createAlice, logIn, startUi, type UiServer } from '../support/ui-server.ts'

const JSON_ONLY = { accept: 'application/json' }
const FIFTY = 50
/** What of a store changes it. */
const WRITING: ReadonlySet<string | symbol> = new Set(['hit', 'take', 'write'])
/** Pages that ask for options; 10,000 in the long form, which takes a minute. */
const ASKED = 500

describe('POST /auth/login/passkey', () => {
  let server: UiServer
  let owner: OwnerAt
  let device: SoftwareAuthenticator
  let browser: BrowserClient
  beforeEach(async () => {
    ;({ server } = await startFactors({
      ui: { limits: { auth: { limit: 3, windowMs: 3_600_000 } } },
    }))
    owner = await ownerAt(server)
    device = await enablePasskey(server, owner, softwareAuthenticator(ALICE, 1))
    browser = server.browser()
  })
  afterEach(() => server.close())

  const codeOf = async (tampering: Tampering): Promise<string> => {
    const answer = await passkeyLogin(browser, device, { tampering })
    expect(answer.setCookie('svcsessid')).to.equal(undefined)
    return `${answer.status} ${answer.json<{ code: string }>().code}`
  }

  it('logs in without a second step, and tells the browser which passkeys there are', async () => {
    const answer = await passkeyLogin(browser, device)
    expect(answer.status).to.equal(200)
    const { redirect, passkeys } = answer.json<{
      redirect: string
      passkeys: { rpId: string; allAcceptedCredentialIds: string[] }
    }>()
    expect(redirect).to.match(/^https:\/\/home\.alice\.example\.com\//)
    expect(passkeys.rpId).to.equal('alice.example.com')
    expect(passkeys.allAcceptedCredentialIds).to.deep.equal([device.credentialId])
    expect((await browser.get('/auth/login')).status).to.equal(302)
  })

  it('makes a long, a normal and a short session, as the passphrase does', async () => {
    const ages: (string | true | undefined)[] = []
    const authorize = `${ALICE}/auth/authorize?client_id=x`
    for (const fields of [{ 'long-run-session': 'on' }, {}, { redirect: authorize }]) {
      const answer = await passkeyLogin(server.browser(), device, fields)
      expect(answer.status).to.equal(200)
      ages.push(answer.setCookie('svcsessid')?.attributes['max-age'])
    }
    expect(ages).to.deep.equal(['34560000', undefined, '300'])
  })

  it('answers a form with 302, keeps a session that there is, and refuses a bad redirect', async () => {
    const credential = device.get(await loginOptions(browser))
    const answer = await browser.post('/auth/login/passkey', { credential, redirect: 'drive/#/a' })
    expect(answer.status).to.equal(302)
    expect(answer.location).to.equal('https://drive.alice.example.com/#/a')
    const again = await passkeyLogin(browser, device)
    expect(again.status).to.equal(200)
    expect(again.setCookie('svcsessid')).to.equal(undefined)
    const bad = await passkeyLogin(browser, device, { redirect: 'https://evil.example/' })
    expect(bad.status).to.equal(400)
  })

  it('shows the form again to a browser without a script, with words and status', async () => {
    const answer = await browser.post('/auth/login/passkey', { credential: 'x' })
    expect(answer.status).to.equal(401)
    expect(answer.text).to.include('Your passkey didn’t work.')
    expect(answer.page().form('/auth/login').value('csrf_token')).not.to.equal('')
  })

  const refusals: readonly [what: string, tampering: Tampering, answer: string][] = [
    ['without user verification', { userVerified: false }, 'passkey_invalid'],
    ['without user presence', { userPresent: false }, 'passkey_invalid'],
    ['signed for another origin', { origin: 'https://evil.example' }, 'passkey_invalid'],
    [
      'signed on the host of an app',
      { origin: 'https://drive.alice.example.com' },
      'passkey_invalid',
    ],
    ['signed for another relying party', { rpId: 'example.com' }, 'passkey_invalid'],
    ['signed in a frame', { crossOrigin: true }, 'passkey_invalid'],
    ['of a registration', { type: 'webauthn.create' }, 'passkey_invalid'],
    ['signed with another key', { key: foreignKey() }, 'passkey_invalid'],
    ['with a broken signature', { flipsSignature: true }, 'passkey_invalid'],
    ['without a user handle', { userHandle: '' }, 'passkey_invalid'],
    ['of another user', { userHandle: 'AAAA' }, 'passkey_invalid'],
    ['with a challenge of its own', { challenge: 'A'.repeat(43) }, 'passkey_expired'],
    ['that is unknown', { credentialId: 'AAAAAAAAAAAAAAAAAAAAAA' }, 'passkey_unknown'],
  ]
  for (const [what, tampering, code] of refusals) {
    it(`refuses a passkey ${what}`, async () => {
      expect(await codeOf(tampering)).to.equal(`401 ${code}`)
    })
  }

  it('refuses what is no passkey, and one of more than 16 KiB', async () => {
    for (const credential of ['', '{}', 'x'.repeat(17_000)]) {
      const answer = await postCredential(browser, credential)
      expect(answer.json<{ code: string }>().code).to.equal('passkey_invalid')
    }
  })

  it('refuses the challenge of another browser, and one that is too old', async () => {
    const credential = device.get(await loginOptions(browser))
    const stranger = server.browser()
    await loginOptions(stranger)
    const stolen = await postCredential(stranger, credential)
    expect(stolen.json<{ code: string }>().code).to.equal('passkey_expired')
    server.clock.advance(301_001)
    const late = await postCredential(browser, credential)
    expect(late.json<{ code: string }>().code).to.equal('passkey_expired')
  })

  it('takes an assertion for nothing but what it was asked for', async () => {
    const page = (await browser.get('/auth/confirm?state=x')).page()
    const options = JSON.parse(page.attribute('data-options') ?? '') as Record<string, unknown>
    const answer = await postCredential(browser, device.get(options))
    expect(answer.json<{ code: string }>().code).to.equal('passkey_expired')
    const other = device.get(await loginOptions(browser))
    const confirmed = await browser.post(
      '/auth/confirm',
      { state: 'x', credential: other },
      { headers: JSON_ONLY },
    )
    expect(confirmed.json<{ code: string }>().code).to.equal('passkey_expired')
  })

  it('suspends a passkey of one device whose counter went back, and tells the owner', async () => {
    expect((await passkeyLogin(browser, device)).status).to.equal(200)
    device.counter = 0
    expect(await codeOf({ counter: 1 })).to.equal('401 passkey_invalid')
    await server.sentMails()
    expect(lastMail(server, 'passkey_suspended').label).to.equal('Key')
    expect(await codeOf({ counter: 100 }), 'also with a counter that fits').to.equal(
      '401 passkey_invalid',
    )
  })

  it('takes a lower counter of a passkey on several devices, which stays one', async () => {
    const synced = { isSynced: true }
    const phone = await enablePasskey(server, owner, softwareAuthenticator(ALICE, 9), synced)
    const lower = { ...synced, counter: 3 }
    const login = (tampering: Tampering) =>
      passkeyLogin(server.browser(), phone, { tampering }).then(({ status }) => status)
    expect(await login(lower)).to.equal(200)
    expect(await login({ counter: 50 }), 'no longer eligible').to.equal(401)
    expect(await login({ ...synced, counter: 51 })).to.equal(200)
  })

  it('takes over that a passkey became one of several devices', async () => {
    const login = (tampering: Tampering) =>
      passkeyLogin(server.browser(), device, { tampering }).then(({ status }) => status)
    expect(await login({ isSynced: true })).to.equal(200)
    expect(await login({ isSynced: false })).to.equal(401)
  })

  it('logs in while the bucket of wrong passphrases is full', async () => {
    const wrong = { passphrase: 'wrong' }
    for (let at = 0; at < 3; at += 1) await logIn(server.browser(), wrong, JSON_ONLY)
    expect((await logIn(server.browser(), {}, JSON_ONLY)).status).to.equal(429)
    expect((await passkeyLogin(browser, device)).status).to.equal(200)
  })

  it('counts refusals per address, and keeps nobody with a passphrase out', async () => {
    for (let at = 0; at < 20; at += 1) await postCredential(browser, 'x')
    const refused = await postCredential(browser, 'x')
    expect(refused.status).to.equal(429)
    expect(Number(refused.headers['retry-after'])).to.be.greaterThan(0)
    const options = await browser.post('/auth/login/passkey/options', {}, { headers: JSON_ONLY })
    expect(options.status).to.equal(429)
    expect((await logIn(server.browser(), {}, JSON_ONLY)).status).to.equal(200)
    server.clock.advance(15 * 60_000)
    expect((await passkeyLogin(browser, device)).status).to.equal(200)
  })
})

describe('POST /auth/login/passkey/options', () => {
  eachStore((open) => {
    it('says the same whether there are passkeys, and writes nothing', async () => {
      const store = await open()
      let writes = 0
      const counting = new Proxy(store, {
        get(target, name, receiver) {
          const value: unknown = Reflect.get(target, name, receiver)
          if (typeof value !== 'function') return value
          return (...given: readonly unknown[]): unknown => {
            // A counter that nothing is added to is only looked at.
            const isLook = name === 'hit' && given[2] === 0
            if (WRITING.has(name) && !isLook) writes += 1
            return value.apply(target, given) as unknown
          }
        },
      })
      const server = await startUi({ store: counting })
      try {
        await createAlice(server)
        const before = await loginOptions(server.browser())
        const owner = await ownerAt(server)
        await enablePasskey(server, owner)
        const browser = server.browser()
        writes = 0
        for (let at = 0; at < ASKED; at += 1) {
          const after = await loginOptions(browser)
          expect({ ...after, challenge: '' }).to.deep.equal({ ...before, challenge: '' })
          expect(String(after['challenge'])).to.have.lengthOf(String(before['challenge']).length)
        }
        expect(writes).to.equal(0)
        expect(Object.keys(before).toSorted()).to.deep.equal([
          'challenge',
          'rpId',
          'timeout',
          'userVerification',
        ])
      } finally {
        await server.close()
      }
    })

    it(`lets one of ${FIFTY} parallel uses of a challenge pass`, async () => {
      const store = await open()
      const server = await startUi({
        store,
        ui: { limits: { 'passkey-ip': { limit: 1000, windowMs: 60_000 } } },
      })
      try {
        await createAlice(server)
        const owner = await ownerAt(server)
        const device = await enablePasskey(server, owner, softwareAuthenticator(ALICE, 1))
        const browser = server.browser()
        const credential = device.get(await loginOptions(browser))
        const answers = await Promise.all(
          Array.from({ length: FIFTY }, () => postCredential(browser, credential)),
        )
        const passed = answers.filter(({ status }) => status === 200)
        expect(passed).to.have.lengthOf(1)
        const others = answers.filter(({ status }) => status !== 200)
        const codes = others.map((answer) => answer.json<{ code: string }>().code)
        expect(new Set(codes)).to.have.all.keys('passkey_expired')
        expect((await passkeyLogin(server.browser(), device)).status).to.equal(200)
      } finally {
        await server.close()
      }
    })
  })
})
