import { StoreUnavailableError } from '@svc/store'
import type { BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { enroll, JSON_ONLY, passStep1, passStep2 } from '../support/second-step.ts'
import {
  ALICE,
  createAlice,
  LOGIN_VALUE,
  logIn,
  startUi,
  type UiServer,
} from '../support/ui-server.ts'

describe('login hooks and mails', () => {
  let server: UiServer

  it('lets onLogin veto, and tells onLoggedIn and onLoginFailed', async () => {
    const told: string[] = []
    let isRefused = true
    server = await startUi({
      ui: {
        hooks: {
          onLogin: ({ method }) => {
            told.push(`login ${method}`)
            if (isRefused) throw Object.assign(new Error('no'), { status: 403, code: 'forbidden' })
          },
          onLoggedIn: ({ sessionId }) => {
            told.push(`logged in ${sessionId.length}`)
          },
          onLoginFailed: ({ code }) => {
            told.push(`failed ${code}`)
          },
        },
      },
    })
    await createAlice(server)
    const browser = server.browser()
    const refused = await logIn(browser)
    expect(refused.status).to.equal(403)
    expect(refused.setCookie('svcsessid')).to.equal(undefined)
    isRefused = false
    expect((await logIn(browser)).status).to.equal(302)
    expect((await logIn(browser.another(), { passphrase: 'wrong' })).status).to.equal(401)
    expect(told).to.deep.equal([
      'login password',
      'login password',
      'logged in 32',
      'failed invalid_passphrase',
    ])
  })

  it('lets a veto use nothing up: neither a pair, a recovery code nor an email_verified_code', async () => {
    let isRefused = true
    let asked = 0
    server = await startUi({
      ui: {
        hooks: {
          onLogin: () => {
            asked += 1
            if (isRefused) throw Object.assign(new Error('no'), { status: 403, code: 'forbidden' })
          },
        },
      },
    })
    const { instance } = await createAlice(server)
    const { recoveryCodes } = await enroll(server, instance, 'mail', 'recovery')
    const email_verified_code = await server.ui.owners.createEmailVerifiedCode(instance)
    await server.ui.owners.setMagicLink(instance, true)
    const { code: magic_code } = await server.ui.owners.createMagicLinkCode(instance)
    const link = { magic_code, passphrase: LOGIN_VALUE }
    const token = await passStep1(server.browser())
    const uses: readonly (() => Promise<BrowserResponse>)[] = [
      () => server.browser().post('/auth/magic_link/twofactor', link),
      () => passStep2(server.browser(), token, recoveryCodes[0] ?? '', {}, JSON_ONLY),
      () => logIn(server.browser(), { email_verified_code }),
    ]
    for (const use of uses) {
      const refused = await use()
      expect([refused.status, refused.setCookies]).to.deep.equal([403, []])
    }
    expect(await server.ui.owners.listSessions(instance)).to.deep.equal([])
    isRefused = false
    asked = 0
    for (const use of uses) expect((await use()).status).to.be.oneOf([200, 302])
    expect(asked).to.equal(3)
  })

  it('tells onLoginFailed of wrong codes of the second step, and of too many', async () => {
    const told: string[] = []
    server = await startUi({
      ui: {
        hooks: {
          onLoginFailed: ({ code, address }) => {
            told.push(`${code} ${address}`)
          },
        },
        limits: { 'two-factor': { limit: 2, windowMs: 1000 } },
      },
    })
    const { instance } = await createAlice(server)
    await enroll(server, instance, 'mail')
    const token = await passStep1(server.browser())
    for (let at = 0; at < 3; at += 1) await passStep2(server.browser(), token, 'wrong')
    const [invalid, limited] = ['two_factor_invalid 127.0.0.1', 'rate_limited 127.0.0.1']
    expect(told).to.deep.equal([invalid, invalid, limited])
    const lines = server.logged.filter(([event]) => event === 'two_factor.failed')
    expect(lines.map(([, fields]) => (fields as { address: string }).address)).to.deep.equal(
      Array.from({ length: 3 }, () => '127.0.0.1'),
    )
  })

  it('logs in although a hook about it fails', async () => {
    server = await startUi({
      ui: {
        hooks: {
          onLoggedIn: () => {
            throw new Error('no')
          },
        },
      },
    })
    await createAlice(server)
    expect((await logIn(server.browser())).status).to.equal(302)
    expect(server.logged.map(([event]) => event)).to.include('hook.failed')
  })

  it('leaves neither cookie nor session when the way to the app cannot be made', async () => {
    server = await startUi({ oauth: { subdomains: 'flat' } })
    const { instance } = await createAlice(server)
    const write = server.store.write.bind(server.store)
    server.store.write = (changes, options) =>
      changes.some(({ key }) => key.includes(':transfer-code:'))
        ? Promise.reject(new StoreUnavailableError('down'))
        : write(changes, options)
    const answer = await logIn(server.browser(), { redirect: 'drive' })
    expect(answer.status).to.equal(503)
    expect(answer.headers['retry-after']).to.equal('1')
    expect(answer.setCookies).to.deep.equal([])
    expect(await server.ui.owners.listSessions(instance)).to.deep.equal([])
  })

  it('mails the owner about a new browser, not the first, at most once an hour', async () => {
    server = await startUi({ ui: { locate: async () => ({ country: 'France' }) } })
    const { instance } = await createAlice(server)
    const withAgent = (agent: string) => server.browser(ALICE, { 'user-agent': agent })
    const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
    const safari =
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15'
    await logIn(withAgent(firefox))
    await logIn(withAgent(firefox))
    expect(await server.sentMails()).to.deep.equal([])
    await logIn(withAgent(safari))
    await logIn(withAgent('curl/8'))
    const [mail, ...more] = await server.sentMails()
    expect(more).to.deep.equal([])
    expect(mail?.template).to.equal('new_connection')
    expect(mail?.variables).to.include({
      browser: 'Safari',
      os: 'macOS',
      place: 'France',
      address: '127.0.0.1',
    })
    const link = mail !== undefined && 'url' in mail.variables ? mail.variables.url : ''
    const [place, device] = String(link).split('?highlight=')
    expect(place).to.equal('https://settings.alice.example.com/#/devices')
    const sessions = await server.ui.owners.listSessions(instance)
    expect(
      sessions.map((session) => session.device),
      'the browser it is about',
    ).to.include(device)
    server.clock.advance(3_600_001)
    await logIn(withAgent('wget/1'))
    expect(await server.sentMails()).to.have.lengthOf(2)
  })

  it('logs in although the mail cannot be sent and the place cannot be found', async () => {
    server = await startUi({
      ui: {
        mailer: { send: () => Promise.reject(new Error('no mail')) },
        locate: () => Promise.reject(new Error('no database')),
      },
    })
    await createAlice(server)
    expect((await logIn(server.browser())).status).to.equal(302)
    const other = server.browser(ALICE, { 'user-agent': 'curl/8' })
    expect((await logIn(other)).status).to.equal(302)
    await server.sentMails()
    expect(server.logged.map(([event]) => event)).to.include('background.failed')
  })
})
