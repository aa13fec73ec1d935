import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { trustBrowser } from '../support/second-step.ts'
import { refusalOf } from '../support/refusal.ts'
import {
  confirmed,
  enableMail,
  type FactorServer,
  lastMail,
  ownerAt,
  postConfirm,
  startFactors,
} from '../support/factor-flows.ts'
import { ALICE, createAlice, startUi, type UiServer } from '../support/ui-server.ts'

const JSON_ONLY = { accept: 'application/json' }
const HEX = /^[0-9a-f]{32}$/

describe('GET /auth/confirm', () => {
  let server: UiServer
  beforeEach(async () => {
    ;({ server } = await startFactors({
      ui: { confirm: { authorizedHosts: ['pass.example:8443'] } },
    }))
  })

  it('shows the form without a session, and opens none', async () => {
    const browser = server.browser()
    const answer = await browser.get('/auth/confirm?state=a%20b&redirect=drive/x%23/y')
    expect(answer.status).to.equal(200)
    expect(answer.headers['cache-control']).to.equal('no-store')
    expect(answer.headers['cross-origin-opener-policy']).to.equal('unsafe-none')
    expect(answer.headers['content-security-policy']).to.include(
      "form-action 'self' https://drive.alice.example.com",
    )
    const form = answer.page().form('/auth/confirm')
    expect(form.method).to.equal('POST')
    expect(form.inputs).to.deep.equal(['passphrase'])
    expect(form.value('state')).to.equal('a b')
    expect(form.value('redirect')).to.equal('https://drive.alice.example.com/x#/y')
    expect(form.value('csrf_token')).to.equal(browser.cookie('__Host-csrf')?.value)
    expect(form.value('trusted-device-token')).to.equal('')
    expect(answer.page().attribute('data-salt')).to.equal('me@alice.example.com')
    expect(answer.page().attribute('data-iterations')).to.equal('50000')
    expect(answer.setCookies.map(({ name }) => name)).to.deep.equal(['__Host-csrf'])
  })

  it('leads a refusal to the target, without a code', async () => {
    const page = (await server.browser().get('/auth/confirm?state=x&redirect=drive/x')).page()
    expect(page.links.map(({ href }) => href)).to.include('https://drive.alice.example.com/x')
  })

  it("names a host of the operator's list in the policy", async () => {
    const url = '/auth/confirm?state=x&redirect=https://pass.example:8443/back'
    const answer = await server.browser().get(url)
    expect(answer.status).to.equal(200)
    expect(answer.headers['content-security-policy']).to.include('https://pass.example:8443')
  })

  const bad: readonly [what: string, query: string][] = [
    ['no state', ''],
    ['an empty state', 'state='],
    ['a state of 257 characters', `state=${'x'.repeat(257)}`],
    ['a state with a line break', 'state=a%0ab'],
    ['a state beyond ASCII', 'state=%C3%A9'],
    ['two states', 'state=a&state=b'],
    ['a foreign redirect', 'state=x&redirect=https://evil.example/'],
    ['an app that is not installed', 'state=x&redirect=notes'],
    ['a host of the list on another port', 'state=x&redirect=https://pass.example/'],
    ['a host of the list over http', 'state=x&redirect=http://pass.example:8443/'],
    ['credentials at a host of the list', 'state=x&redirect=https://a@pass.example:8443/'],
    ['a host under one of the list', 'state=x&redirect=https://a.pass.example:8443/'],
    ['a script', 'state=x&redirect=javascript:alert(1)'],
    ['a path', 'state=x&redirect=//evil.example'],
  ]
  for (const [what, query] of bad) {
    it(`answers 400 to ${what}`, async () => {
      const answer = await server.browser().get(`/auth/confirm?${query}`)
      expect(answer.status).to.equal(400)
      expect(answer.text).not.to.include('evil.example/')
      const posted = await postConfirm(
        server.browser(),
        { state: undefined, ...Object.fromEntries(new URLSearchParams(query)) },
        JSON_ONLY,
      )
      if (what !== 'two states') expect(posted.status).to.equal(400)
    })
  }
})

describe('POST /auth/confirm', () => {
  let factors: FactorServer
  let server: UiServer
  beforeEach(async () => {
    factors = await startFactors({ ui: { confirm: { authorizedHosts: ['pass.example'] } } })
    ;({ server } = factors)
  })

  const targets: readonly [redirect: string | undefined, before: string, after: string][] = [
    [undefined, 'https://home.alice.example.com/?', ''],
    ['drive', 'https://drive.alice.example.com/?', ''],
    ['drive/p?a=%2f&b#/deep', 'https://drive.alice.example.com/p?a=%2f&b&', '#/deep'],
    [
      'https://drive.alice.example.com/?code=old&x=1&state=old&%63ode=older',
      'https://drive.alice.example.com/?x=1&',
      '',
    ],
    ['https://alice.example.com/auth/passkey#kept', 'https://alice.example.com/auth/passkey?', '#'],
    ['https://pass.example/back#x', 'https://pass.example/back?', '#x'],
  ]
  for (const [redirect, before, after] of targets) {
    it(`leads to ${redirect ?? 'home'} with state and code`, async () => {
      const browser = server.browser()
      const answer = await postConfirm(browser, { redirect, state: 'a b&c=d/' })
      expect(answer.status).to.equal(302)
      const { location = '' } = answer
      const [, code = ''] = /&code=([^#]*)/.exec(location) ?? []
      expect(code).to.match(HEX)
      expect(location).to.equal(`${before}state=a%20b%26c%3Dd%2F&code=${code}${after}`)
      expect(answer.setCookies).to.deep.equal([])
      expect((await browser.get(`/auth/confirm/${code}`)).status).to.equal(204)
    })
  }

  it('answers 200 with the redirect to a client that prefers JSON', async () => {
    const answer = await postConfirm(server.browser(), { redirect: 'drive' }, JSON_ONLY)
    expect(answer.status).to.equal(200)
    expect(answer.json<{ redirect: string }>().redirect).to.match(
      /^https:\/\/drive\.alice\.example\.com\/\?state=s&code=[0-9a-f]{32}$/,
    )
    expect(answer.setCookies).to.deep.equal([])
  })

  it('tells the apps once, before it answers, without the code', async () => {
    const answer = await postConfirm(server.browser(), { state: 'my state' }, JSON_ONLY)
    expect(factors.events).to.deep.equal([
      {
        verb: 'CREATED',
        event: {
          type: 'io.svc.auth.confirmations',
          id: 'my state',
          doc: { _id: 'my state' },
        },
      },
    ])
    const code = new URL(answer.json<{ redirect: string }>().redirect).searchParams.get('code')
    expect(JSON.stringify(factors.events)).not.to.include(code)
    expect(JSON.stringify(server.logged)).not.to.include(code)
  })

  it('answers 401 to a wrong or missing passphrase, and tells nobody', async () => {
    for (const passphrase of ['wrong', '', undefined]) {
      const json = await postConfirm(server.browser(), { passphrase }, JSON_ONLY)
      expect(refusalOf(json)).to.equal('401 invalid_passphrase')
      const html = await postConfirm(server.browser(), { passphrase, redirect: 'drive' })
      expect(html.status).to.equal(401)
      const form = html.page().form('/auth/confirm')
      expect(form.value('redirect')).to.equal('https://drive.alice.example.com/')
      expect(form.value('state')).to.equal('s')
      expect(form.value('passphrase')).to.equal('')
    }
    expect(factors.events).to.deep.equal([])
  })

  it('answers when the apps were told, not before', async () => {
    const order: string[] = []
    const other = await startUi({
      ui: {
        events: {
          publish: async () => {
            await nextTurn()
            order.push('told')
          },
        },
      },
    })
    await createAlice(other)
    await postConfirm(other.browser())
    order.push('answered')
    expect(order).to.deep.equal(['told', 'answered'])
  })

  it('waits for a slow bus no longer than a second, and survives a broken one', async () => {
    for (const publish of [
      () => new Promise<void>(() => {}),
      () => Promise.reject(new Error('down')),
    ]) {
      const other = await startUi({ ui: { events: { publish } } })
      await createAlice(other)
      expect((await postConfirm(other.browser())).status).to.equal(302)
    }
  }).timeout(6000)

  describe('with the second factor on', () => {
    beforeEach(async () => {
      await enableMail(server, await ownerAt(server))
    })

    it('asks for it, without code, event or session', async () => {
      const before = factors.events.length
      const browser = server.browser()
      const answer = await postConfirm(browser, { redirect: 'drive' }, JSON_ONLY)
      expect(answer.status).to.equal(200)
      const { two_factor_token: token, ...rest } = answer.json<Record<string, string>>()
      expect(token).to.match(/^[A-Za-z0-9_-]{96}$/)
      expect(rest).to.deep.equal({ redirect: `${ALICE}/auth/twofactor?two_factor_token=${token}` })
      expect(answer.setCookies).to.deep.equal([])
      expect(lastMail(server, 'two_factor').purpose).to.equal('confirm')
      expect(factors.events).to.have.lengthOf(before)
    })

    it('confirms after the right code: event, code, no session', async () => {
      const before = factors.events.length
      const browser = server.browser()
      const page = await postConfirm(browser, { redirect: 'drive/#/x', state: 'two' })
      expect(page.status).to.equal(200)
      const form = page.page().form('/auth/twofactor')
      expect(form.inputs).not.to.include('two-factor-generate-trusted-device-token')
      const wrong = await browser.submit(form, { 'two-factor-passcode': '000000x' })
      expect(wrong.status).to.equal(401)
      expect(factors.events).to.have.lengthOf(before)
      const right = await browser.submit(form, {
        'two-factor-passcode': lastMail(server, 'two_factor').passcode,
      })
      expect(right.status).to.equal(302)
      expect(right.location).to.match(
        /^https:\/\/drive\.alice\.example\.com\/\?state=two&code=[0-9a-f]{32}#\/x$/,
      )
      expect(right.setCookie('svcsessid')).to.equal(undefined)
      expect(browser.cookie('svcsessid')).to.equal(undefined)
      expect(factors.events.slice(before).map(({ event }) => event.id)).to.deep.equal(['two'])
    })

    it('leads back to a host of the list through the second step', async () => {
      const browser = server.browser()
      const page = await postConfirm(browser, { redirect: 'https://pass.example/x' })
      expect(page.headers['content-security-policy']).to.include('https://pass.example')
      const answer = await browser.submit(page.page().form('/auth/twofactor'), {
        'two-factor-passcode': lastMail(server, 'two_factor').passcode,
      })
      expect(answer.location).to.match(/^https:\/\/pass\.example\/x\?state=s&code=/)
    })

    describe('from a trusted browser', () => {
      let trusted: string
      beforeEach(async () => {
        trusted = await trustBrowser(server, server.browser())
        expect(trusted).to.match(/^[A-Za-z0-9_-]{43}$/)
      })

      it('skips it for an app', async () => {
        const fields = { redirect: 'drive', 'trusted-device-token': trusted }
        const answer = await postConfirm(server.browser(), fields)
        expect(answer.status).to.equal(302)
        expect(answer.location).to.include('&code=')
      })

      it('asks for it with a made-up token', async () => {
        const fields = { redirect: 'drive', 'trusted-device-token': 'x'.repeat(43) }
        expect((await postConfirm(server.browser(), fields)).status).to.equal(200)
      })

      // OPEN(0098)
      for (const redirect of ['settings/#/factors', `${ALICE}/auth/passkey`]) {
        it(`asks for it when the code could change factors (${redirect})`, async () => {
          const fields = { redirect, 'trusted-device-token': trusted }
          expect((await postConfirm(server.browser(), fields)).status).to.equal(200)
        })
      }
    })
  })
})

describe('GET /auth/confirm/:code', () => {
  let server: UiServer
  beforeEach(async () => {
    ;({ server } = await startFactors({
      ui: { limits: { 'confirm-code': { limit: 4, windowMs: 1000 } } },
    }))
  })

  function check(path: string, method = 'GET'): Promise<BrowserResponse> {
    return server.browser().request(method, `/auth/confirm/${path}`)
  }

  it('answers 204 as often as asked, with or without its state', async () => {
    const { confirmation_code: code } = await confirmed(server)
    for (let at = 0; at < 6; at += 1) {
      const answer = await check(code)
      expect(answer.status).to.equal(204)
      expect(answer.headers['content-type']).to.equal(undefined)
      expect(answer.headers['access-control-allow-origin']).to.equal(undefined)
      expect(answer.setCookies).to.deep.equal([])
    }
    expect((await check(`${code}?state=my%20state`)).status).to.equal(204)
    expect((await check(code, 'HEAD')).status).to.equal(204)
  })

  it('answers 401 to an unknown code, a malformed one, and another state', async () => {
    const { confirmation_code: code } = await confirmed(server)
    const wrong = ['0'.repeat(32), 'x', `${code}?state=other`, `${code}?state=`]
    for (const path of wrong) {
      const answer = await check(path)
      expect(refusalOf(answer)).to.equal('401 invalid_code')
    }
  })

  it('counts wrong codes of an address only', async () => {
    server.clock.stop()
    const { confirmation_code: code } = await confirmed(server)
    for (let at = 0; at < 10; at += 1) expect((await check(code)).status).to.equal(204)
    for (let at = 0; at < 4; at += 1) expect((await check('0'.repeat(32))).status).to.equal(401)
    const limited = await check(code)
    expect(limited.status).to.equal(429)
    expect(limited.headers['retry-after']).to.equal('1')
    server.clock.advance(1001)
    expect((await check(code)).status).to.equal(204)
  })

  it('answers 401 after five minutes', async () => {
    const { confirmation_code: code } = await confirmed(server)
    server.clock.advance(240_000)
    expect((await check(code)).status).to.equal(204)
    server.clock.advance(60_000)
    expect((await check(code)).status).to.equal(401)
  })
})
