import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import { mailsOf, requestReset, resetLink } from '../support/reset.ts'
import { createAlice, loginValueOf, logIn, startUi, type UiServer } from '../support/ui-server.ts'

const EMAIL = 'alice@example.org'

describe('links to a new passphrase, used at once from two processes', () => {
  eachStore((open, name) => {
    let first: UiServer
    let second: UiServer
    beforeEach(async () => {
      const store = await open()
      first = await startUi({ store })
      const secondStore = name === 'Redis' ? await open({ sameAs: store }) : store
      second = await startUi({ store: secondStore, key: first.key, clock: first.clock })
    })
    afterEach(async () => {
      await second.close()
      await first.close()
    })
    const either = (at: number): UiServer => (at % 2 === 0 ? first : second)

    it('one of 50 parallel resets wins', async () => {
      const { instance } = await createAlice(first, { email: EMAIL })
      const asking = first.browser()
      const url = await resetLink(first, asking)
      const passphrase_reset_token = new URL(url).searchParams.get('token') ?? ''
      const csrf_token = asking.cookie('__Host-csrf')?.value ?? ''
      const headers = { cookie: `__Host-csrf=${csrf_token}` }
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          either(at)
            .browser()
            .post(
              '/auth/passphrase_renew',
              {
                csrf_token,
                passphrase_reset_token,
                passphrase: loginValueOf(at),
                iterations: '50000',
              },
              { headers },
            ),
        ),
      )
      const winners = answers.flatMap(({ status }, at) => (status === 302 ? [at] : []))
      expect(winners).to.have.lengthOf(1)
      for (const { status } of answers) expect(status).to.be.oneOf([302, 400, 429])
      for (let at = 0; at < 2; at += 1) {
        const passphrase = loginValueOf(winners[0] ?? -1)
        expect((await logIn(either(at).browser(), { passphrase })).status).to.equal(302)
        expect((await logIn(either(at).browser())).status).to.equal(401)
      }
      expect(await first.ui.owners.listSessions(instance)).to.have.lengthOf(2)
      await Promise.all([first.sentMails(), second.sentMails()])
      const told = [first, second].flatMap((server) => mailsOf(server, 'passphrase_changed'))
      expect(told).to.have.lengthOf(1)
    })

    it('one of 20 parallel requests mails a link', async () => {
      await createAlice(first, { email: EMAIL })
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) => requestReset(either(at).browser())),
      )
      for (const { status } of answers) expect(status).to.equal(302)
      const links = [first, second].flatMap((server) => mailsOf(server, 'passphrase_reset'))
      expect(links).to.have.lengthOf(1)
      expect((await second.browser().get(links[0]?.variables.url ?? '')).status).to.equal(200)
    })

    it('a passphrase changed here is refused there at once', async () => {
      const { instance } = await createAlice(first, { email: EMAIL })
      const there = second.browser()
      expect((await logIn(there)).status).to.equal(302)
      await first.ui.owners.resetPassphrase(instance, 'another one')
      expect((await there.get('/settings/sessions/current')).status).to.equal(404)
      expect((await logIn(second.browser())).status).to.equal(401)
    })
  })
})
