import type { Instance } from '@svc/platform'
import { type BrowserResponse, relyingParty } from '@svc/testkit'
import { expect } from 'chai'
import { refusalOf } from '../support/refusal.ts'
import { enroll, lastPasscode, otherThan } from '../support/second-step.ts'
import { ALICE, LOGIN_VALUE, startUi, type UiServer, withAlice } from '../support/ui-server.ts'

type Body = Readonly<Record<string, unknown>>

const CODE = /^[A-Za-z0-9]{32}$/
const UNKNOWN_CLIENT = { error: 'the client must be registered', code: 'invalid_client' }
const WRONG_SECRET = { error: 'invalid client_secret', code: 'invalid_client' }

describe('apps without a browser', () => {
  let server: UiServer
  let instance: Instance
  let client: { client_id: string; client_secret: string }
  beforeEach(async () => {
    ;({ server, instance } = await withAlice(startUi()))
    await server.ui.owners.setMagicLink(instance, true)
    const party = relyingParty({ issuer: ALICE, port: server.port })
    const { client_id, client_secret } = await party.register()
    client = { client_id, client_secret: String(client_secret) }
  })

  const setTwoFactor = (): Promise<void> =>
    server.ui.owners.setAuthMode(instance, 'two_factor_mail')

  /** Posts as an app does. Nothing these endpoints answer carries a cookie, or a challenge about a bearer. */
  async function post(path: string, body: unknown): Promise<BrowserResponse> {
    const answer = await server.browser().postJson(path, body, { from: 'address-bar' })
    expect(answer.setCookies).to.deep.equal([])
    expect(answer.headers).not.to.have.property('www-authenticate')
    expect(answer.headers['cache-control']).to.equal('no-store')
    return answer
  }

  function expectCode(answer: BrowserResponse): string {
    expect(answer.status, answer.text).to.equal(202)
    const { session_code: code = '', ...rest } = answer.json<Record<string, string>>()
    expect(code).to.match(CODE)
    expect(rest).to.deep.equal({})
    return code
  }

  describe('POST /auth/login/flagship (login.md 5.1)', () => {
    const send = (body: Body = {}): Promise<BrowserResponse> =>
      post('/auth/login/flagship', { passphrase: LOGIN_VALUE, ...client, ...body })

    async function begin(): Promise<{ two_factor_token: string; two_factor_code: string }> {
      const { two_factor_token = '' } = (await send()).json<Record<string, string>>()
      return { two_factor_token, two_factor_code: lastPasscode(server) }
    }

    it('answers 202 with a session code to a client that is not certified', async () => {
      const code = expectCode(await send())
      const opened = await server
        .browser()
        .get(`https://drive.alice.example.com/?session_code=${code}`)
      expect(opened.setCookie('svcsessid')).not.to.equal(undefined)
    })

    it('ignores an Authorization header (clients.md 1)', async () => {
      const headers = { authorization: 'Bearer expired' }
      const body = { passphrase: LOGIN_VALUE, ...client }
      const answer = await server.browser().postJson('/auth/login/flagship', body, { headers })
      expect(answer.status).to.equal(202)
    })

    const twoFactor: readonly boolean[] = [false, true]
    for (const isOn of twoFactor) {
      it(`answers 401 to a wrong passphrase before all else, factor ${isOn ? 'on' : 'off'}`, async () => {
        if (isOn) await setTwoFactor()
        for (const client_id of [client.client_id, 'unknown']) {
          const answer = await send({ passphrase: 'wrong', client_id })
          expect(refusalOf(answer)).to.equal('401 invalid_passphrase')
        }
        expect(server.mails).to.deep.equal([])
      })
    }

    it('answers 400 to an unknown client and to a wrong secret', async () => {
      for (const [body, expected] of [
        [{ client_id: 'unknown' }, UNKNOWN_CLIENT],
        [{ client_id: '' }, UNKNOWN_CLIENT],
        [{ client_id: '../x' }, UNKNOWN_CLIENT],
        [{ client_secret: 'wrong' }, WRONG_SECRET],
        [{ client_secret: '' }, WRONG_SECRET],
        [{ client_secret: `${client.client_secret}\u0000` }, WRONG_SECRET],
      ] as const) {
        const answer = await send(body)
        expect(answer.status).to.equal(400)
        expect(answer.json()).to.deep.equal(expected)
      }
    })

    it('counts wrong secrets with the wrong passphrases of the address', async () => {
      await send({ client_secret: 'wrong' })
      for (let at = 0; at < 19; at += 1) await send({ passphrase: 'wrong' })
      expect((await send()).status).to.equal(429)
    })

    it('counts wrong secrets of a client by themselves too: a right passphrase clears them not', async () => {
      for (let at = 0; at < 20; at += 1) {
        expect((await send({ client_secret: 'wrong' })).json()).to.deep.equal(WRONG_SECRET)
      }
      expect((await send()).status).to.equal(429)
      server.clock.advance(15 * 60_000 + 1)
      expectCode(await send())
    })

    describe('with the second factor on', () => {
      beforeEach(setTwoFactor)

      it('asks for it with 401 and no error, also an unknown client', async () => {
        for (const client_id of [client.client_id, 'unknown']) {
          const answer = await send({ client_id })
          expect(answer.status).to.equal(401)
          expect(Object.keys(answer.json<object>())).to.deep.equal(['two_factor_token'])
          expect(server.mails.at(-1)).to.have.nested.property('variables.purpose', 'flagship')
        }
        expect(server.mails).to.have.lengthOf(2)
      })

      for (const name of ['two_factor_code', 'two_factor_passcode']) {
        it(`takes the pair with ${name}, once`, async () => {
          const { two_factor_token, two_factor_code } = await begin()
          const pair = { two_factor_token, [name]: two_factor_code }
          expectCode(await send(pair))
          const again = await send(pair)
          expect(refusalOf(again)).to.equal('403 two_factor_expired')
        })
      }

      it('takes a code of any factor in the same field', async () => {
        const { totp, recoveryCodes } = await enroll(server, instance, 'totp', 'recovery')
        for (const two_factor_code of [totp(), recoveryCodes[0]]) {
          const { two_factor_token } = (await send()).json<Record<string, string>>()
          expectCode(await send({ two_factor_token, two_factor_code }))
        }
      })

      it('answers 403 to a wrong pair, before it says anything of the client', async () => {
        const { two_factor_token, two_factor_code } = await begin()
        for (const [body, code] of [
          [{ two_factor_code: otherThan(two_factor_code) }, 'two_factor_invalid'],
          [{}, 'two_factor_invalid'],
          [{ client_id: 'unknown', two_factor_code: 'wrong' }, 'two_factor_invalid'],
          [{ client_secret: 'wrong', two_factor_code: 'wrong' }, 'two_factor_invalid'],
          [{ two_factor_token: 'x', two_factor_code }, 'two_factor_expired'],
        ] as const) {
          const answer = await send({ two_factor_token, ...body })
          expect(answer.status).to.equal(403)
          expect(answer.json()).to.have.property('code', code)
          expect(answer.json()).to.have.property('error')
        }
        expect(server.mails).to.have.lengthOf(1)
        expect((await send({ two_factor_token, two_factor_code: 'wrong' })).status).to.equal(403)
        const dead = await send({ two_factor_token, two_factor_code })
        expect(refusalOf(dead)).to.equal('403 two_factor_expired')
      })

      it('leaves a right pair as it was when the client is wrong', async () => {
        const pair = await begin()
        for (let at = 0; at < 6; at += 1) {
          expect((await send({ ...pair, client_id: 'unknown' })).json()).to.deep.equal(
            UNKNOWN_CLIENT,
          )
        }
        expect((await send({ ...pair, client_secret: 'x' })).json()).to.deep.equal(WRONG_SECRET)
        expectCode(await send(pair))
      })

      it('takes no pair that was begun for another client, and leaves it as it was', async () => {
        const pair = await begin()
        const party = relyingParty({ issuer: ALICE, port: server.port })
        const other = await party.register()
        const { client_id, client_secret } = other
        const answer = await send({ ...pair, client_id, client_secret })
        expect(refusalOf(answer)).to.equal('403 two_factor_expired')
        expectCode(await send(pair))
      })

      it('skips it with an email_verified_code, once, and ignores a bad one', async () => {
        const email_verified_code = await server.ui.owners.createEmailVerifiedCode(instance)
        expect((await send({ email_verified_code, client_id: 'x' })).json()).to.deep.equal(
          UNKNOWN_CLIENT,
        )
        expect((await send({ email_verified_code, client_secret: 'x' })).json()).to.deep.equal(
          WRONG_SECRET,
        )
        expectCode(await send({ email_verified_code }))
        for (const bad of [email_verified_code, '', 'x', 'a'.repeat(32)]) {
          const answer = await send({ email_verified_code: bad })
          expect(answer.status).to.equal(401)
          expect(answer.json()).to.have.property('two_factor_token')
        }
      })
    })

    it('uses no email_verified_code up while the second factor is off', async () => {
      const email_verified_code = await server.ui.owners.createEmailVerifiedCode(instance)
      expectCode(await send({ email_verified_code }))
      await setTwoFactor()
      expectCode(await send({ email_verified_code }))
    })
  })

  describe('POST /auth/magic_link/flagship (login.md 5.3)', () => {
    const NEEDED = {
      error: 'passphrase is required as second authentication factor',
      code: 'passphrase_required',
    }
    const newCode = async (): Promise<string> =>
      (await server.ui.owners.createMagicLinkCode(instance)).code
    const send = (magic_code: string, body: Body = {}): Promise<BrowserResponse> =>
      post('/auth/magic_link/flagship', { magic_code, ...client, ...body })

    it('answers 202 with a session code, once', async () => {
      const code = await newCode()
      expectCode(await send(code))
      const again = await send(code)
      expect(refusalOf(again)).to.equal('401 invalid_magic_code')
    })

    it('answers 401 to a bad code before it says anything of the client, and counts it', async () => {
      for (const bad of ['', 'x', 'a'.repeat(32)]) {
        for (const body of [{}, { client_id: 'unknown' }]) {
          const answer = await send(bad, body)
          expect(answer.status).to.equal(401)
          expect(answer.json()).to.have.property('error', 'invalid magic code')
        }
      }
      for (let at = 0; at < 24; at += 1) await send('x')
      expect((await send(await newCode())).status).to.equal(429)
    })

    it('uses nothing up for an unknown client or a wrong secret', async () => {
      const code = await newCode()
      expect((await send(code, { client_id: 'unknown' })).json()).to.deep.equal(UNKNOWN_CLIENT)
      const wrong = await send(code, { client_secret: 'x' })
      expect([wrong.status, wrong.json<Body>()]).to.deep.equal([400, WRONG_SECRET])
      expectCode(await send(code))
    })

    it('asks for the passphrase with the second factor on, uncounted, and keeps the code', async () => {
      await setTwoFactor()
      const code = await newCode()
      for (let at = 0; at < 25; at += 1) {
        const answer = await send(code)
        expect(answer.status).to.equal(401)
        expect(answer.json()).to.deep.equal(NEEDED)
      }
      expectCode(await send(code, { passphrase: LOGIN_VALUE }))
    })

    it('answers a wrong passphrase the same way, counts it, and ends the code with the fifth', async () => {
      await setTwoFactor()
      const code = await newCode()
      for (let at = 0; at < 5; at += 1) {
        const answer = await send(code, { passphrase: 'wrong' })
        expect([answer.status, answer.json<Body>()]).to.deep.equal([401, NEEDED])
      }
      const dead = await send(code, { passphrase: LOGIN_VALUE })
      expect(dead.json()).to.have.property('code', 'invalid_magic_code')
      for (let round = 0; round < 3; round += 1) {
        const next = await newCode()
        for (let at = 0; at < 5; at += 1) await send(next, { passphrase: 'wrong' })
      }
      expect((await send(await newCode(), { passphrase: LOGIN_VALUE })).status).to.equal(429)
    })
  })
})
