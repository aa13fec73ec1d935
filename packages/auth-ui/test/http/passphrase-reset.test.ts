import { setTimeout as wait } from 'node:timers/promises'
import type { Instance } from '@svc/platform'
import type { BrowserClient } from '@svc/testkit'
import { expect } from 'chai'
import { refusalOf } from '../support/refusal.ts'
import type { SystemMail } from '../../src/ports.ts'
import {
  ALICE,
  createAlice,
  LOGIN_VALUE,
  logIn,
  startUi,
  type UiServer,
} from '../support/ui-server.ts'
import { JSON_ONLY, mailsOf, requestReset } from '../support/reset.ts'

const EMAIL = 'alice@example.org'
const SENT = `${ALICE}/auth/login?msg=passphrase-reset-requested`

describe('passphrase reset (login.md 5.5)', () => {
  let server: UiServer
  let browser: BrowserClient
  let instance: Instance
  let refuses: boolean
  beforeEach(async () => {
    refuses = false
    const mails: SystemMail[] = []
    server = await startUi({
      ui: {
        mailer: {
          send: async (_instance, mail) => {
            if (refuses) throw new Error('the mail server is down')
            mails.push(mail)
          },
        },
      },
    })
    server = { ...server, mails }
    ;({ instance } = await createAlice(server, { email: EMAIL }))
    browser = server.browser()
  })

  describe('GET /auth/passphrase_reset', () => {
    const back: readonly [query: string, href: string | undefined, from: string][] = [
      ['', '/auth/login', ''],
      ['?from=settings', 'https://settings.alice.example.com/#/profile/email', 'settings'],
      ['?from=evil.com%2F', '/auth/login', ''],
      ['?from=drive', '/auth/login', ''],
      ['?hideBackButton=true', undefined, ''],
      ['?hideBackButton=yes', '/auth/login', ''],
    ]
    for (const [query, href, from] of back) {
      it(`leads back to ${href} for "${query}"`, async () => {
        const answer = await browser.get(`/auth/passphrase_reset${query}`)
        expect(answer.status).to.equal(200)
        const page = answer.page()
        const form = page.form('/auth/passphrase_reset')
        expect(form.method).to.equal('POST')
        expect(form.value('from')).to.equal(from)
        expect(form.value('redirect')).to.equal('')
        expect(form.value('csrf_token')).to.equal(browser.cookie('__Host-csrf')?.value)
        const links = page.elements('a').map(({ attrs }) => attrs.find((a) => a.name === 'href'))
        const hrefs = links.map((link) => link?.value)
        if (href === undefined) expect(hrefs.filter((each) => each?.includes('login'))).to.be.empty
        else expect(hrefs).to.include(href)
        expect(answer.text).not.to.include('evil.com')
      })
    }

    it('keeps what was asked for in both forms and in the way back', async () => {
      const answer = await browser.get('/auth/passphrase_reset?redirect=drive/a%23/b')
      const page = answer.page()
      const target = 'https://drive.alice.example.com/a#/b'
      expect(page.form('/auth/passphrase_reset').value('redirect')).to.equal(target)
      expect(page.form('/auth/hint').value('redirect')).to.equal(target)
      expect(answer.text).to.include(`/auth/login?redirect=${encodeURIComponent(target)}`)
    })

    it('leads a logged-in browser home, except from the settings', async () => {
      await logIn(browser)
      const home = await browser.get('/auth/passphrase_reset')
      expect(home.status).to.equal(302)
      expect(home.location).to.equal('https://home.alice.example.com/#')
      expect((await browser.get('/auth/passphrase_reset?from=settings')).status).to.equal(200)
    })

    it('is the same page with and without a hint, and with and without a pending reset', async () => {
      const read = async (): Promise<string> => {
        const { text } = await browser.get('/auth/passphrase_reset')
        // A new passphrase makes a new token of the form.
        return text.replaceAll(browser.cookie('__Host-csrf')?.value ?? '', '')
      }
      const before = await read()
      await setHint('the usual')
      await requestReset(browser)
      expect(await read()).to.equal(before)
    })
  })

  describe('POST /auth/passphrase_reset', () => {
    it('mails a link and leads to the login', async () => {
      const answer = await requestReset(browser)
      expect(answer.status).to.equal(302)
      expect(answer.location).to.equal(SENT)
      const [mail, ...more] = mailsOf(server, 'passphrase_reset')
      expect(more).to.deep.equal([])
      expect(mail?.variables).to.include({
        minutes: 15,
        losesVault: false,
        address: '127.0.0.1',
      })
      expect(mail?.variables.time).to.be.closeTo(server.clock.now(), 10_000)
      expect(mail?.variables.url).to.match(
        /^https:\/\/alice\.example\.com\/auth\/passphrase_renew\?token=[0-9a-f]{32}$/,
      )
      expect((await browser.follow(answer)).status).to.equal(200)
    })

    it('works with the form of the page, and keeps what was asked for', async () => {
      const page = (await browser.get('/auth/passphrase_reset?redirect=drive')).page()
      const answer = await browser.submit(page.form('/auth/passphrase_reset'))
      expect(answer.location).to.equal(
        `${SENT}&redirect=${encodeURIComponent('https://drive.alice.example.com/')}`,
      )
      const login = (await browser.follow(answer)).page().form('/auth/login')
      expect(login.value('redirect')).to.equal('https://drive.alice.example.com/')
    })

    it('marks a link asked for in the settings, and no other', async () => {
      await requestReset(browser, { from: 'settings' })
      expect(mailsOf(server, 'passphrase_reset')[0]?.variables.url).to.match(
        /token=[0-9a-f]{32}&from=settings$/,
      )
      server.clock.advance(900_001)
      await requestReset(browser, { from: 'evil.com/' })
      expect(mailsOf(server, 'passphrase_reset')[1]?.variables.url).to.match(/token=[0-9a-f]{32}$/)
    })

    it('closes the session and clears its cookie', async () => {
      await logIn(browser)
      const answer = await requestReset(browser)
      expect(answer.setCookie('svcsessid')?.attributes['max-age']).to.equal('0')
      expect(await server.ui.owners.listSessions(instance)).to.deep.equal([])
    })

    it('sends nothing while a link is under way, which neither dies nor lives longer', async () => {
      await requestReset(browser)
      server.clock.advance(600_000)
      expect((await requestReset(browser.another())).location).to.equal(SENT)
      const mails = mailsOf(server, 'passphrase_reset')
      expect(mails).to.have.lengthOf(1)
      const url = mails[0]?.variables.url ?? ''
      expect((await browser.get(url)).status).to.equal(200)
      server.clock.advance(300_001)
      expect((await browser.get(url)).status).to.equal(400)
      await requestReset(browser.another())
      expect(mailsOf(server, 'passphrase_reset')).to.have.lengthOf(2)
    })

    it('sends five mails an hour, and answers the same afterwards', async () => {
      await withShortLinks(async (short) => {
        const bodies = new Set<string>()
        for (let at = 0; at < 7; at += 1) {
          const answer = await requestReset(short.browser())
          bodies.add(`${answer.status} ${answer.location} ${answer.text}`)
          short.clock.advance(1001)
        }
        expect(bodies.size).to.equal(1)
        expect(mailsOf(short, 'passphrase_reset')).to.have.lengthOf(5)
        short.clock.advance(3_600_000)
        await requestReset(short.browser())
        expect(mailsOf(short, 'passphrase_reset')).to.have.lengthOf(6)
      })
    })

    it('answers the same to an owner without address, and to an instance without owner', async () => {
      const bob = await server.ui.owners.createInstance({ domain: 'bob.example.com' }, 'x')
      expect(bob.instance.email).to.equal(undefined)
      await server.ui.owners.createInstance({ domain: 'carol.example.com', email: EMAIL })
      for (const domain of ['bob.example.com', 'carol.example.com']) {
        const answer = await requestReset(
          server.browser(`https://${domain}`),
          {},
          {},
          '/auth/login',
        )
        expect(answer.status).to.equal(302)
        expect(answer.location).to.equal(
          `https://${domain}/auth/login?msg=passphrase-reset-requested`,
        )
      }
      expect(mailsOf(server, 'passphrase_reset')).to.deep.equal([])
    })

    it('answers 503 mail_failed and keeps no token when the mail cannot be sent', async () => {
      refuses = true
      await logIn(browser)
      const answer = await requestReset(browser, {}, JSON_ONLY)
      expect(refusalOf(answer)).to.equal('503 mail_failed')
      expect(await server.ui.owners.listSessions(instance)).to.have.lengthOf(1)
      refuses = false
      expect((await requestReset(browser)).status).to.equal(302)
      expect(mailsOf(server, 'passphrase_reset')).to.have.lengthOf(1)
    })

    it('takes as long when nothing is sent as a mail took', async () => {
      const sendMs = 150
      const slow = await startUi({ ui: { mailer: { send: () => wait(sendMs) } } })
      await createAlice(slow, { email: EMAIL })
      await slow.ui.owners.createInstance({ domain: 'bob.example.com' }, 'x')
      const timed = async (base: string): Promise<number> => {
        const asking = slow.browser(base)
        await asking.get('/auth/passphrase_reset')
        const csrf_token = asking.cookie('__Host-csrf')?.value
        const startedAt = performance.now()
        await asking.post('/auth/passphrase_reset', { csrf_token })
        return performance.now() - startedAt
      }
      // Sent; pending already; nobody to send it to.
      expect(await timed(ALICE)).to.be.at.least(sendMs - 2)
      expect(await timed(ALICE)).to.be.at.least(sendMs - 2)
      expect(await timed('https://bob.example.com')).to.be.at.least(sendMs - 2)
    })
  })

  async function setHint(hint: string): Promise<void> {
    await requestReset(browser)
    const url = mailsOf(server, 'passphrase_reset').at(-1)?.variables.url ?? ''
    const form = (await browser.get(url)).page().form('/auth/passphrase_renew')
    const fields = { passphrase: LOGIN_VALUE, iterations: '50000', hint }
    expect((await browser.submit(form, fields)).status).to.equal(302)
  }

  async function withShortLinks(run: (server: UiServer) => Promise<void>): Promise<void> {
    const short = await startUi({ ui: { lifetimes: { resetToken: 1000 } } })
    await createAlice(short, { email: EMAIL })
    await run(short)
  }
})
