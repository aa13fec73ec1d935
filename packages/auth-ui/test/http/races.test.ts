import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import { createAlice, loginValueOf, logIn, startUi } from '../support/ui-server.ts'

describe('one-time values, used at once from two processes', () => {
  eachStore((open, name) => {
    it('one of 50 parallel onboardings wins', async () => {
      const store = await open()
      const first = await startUi({ store })
      const { onboardingUrl, instance } = await createAlice(first, {}, { isOnboarded: false })
      const secondStore = name === 'Redis' ? await open({ sameAs: store }) : store
      const second = await startUi({ store: secondStore, key: first.key, clock: first.clock })
      const register_token = new URL(onboardingUrl).searchParams.get('registerToken') ?? ''
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          (at % 2 === 0 ? first : second).browser().post('/settings/passphrase', {
            register_token,
            passphrase: loginValueOf(at),
            iterations: '50000',
          }),
        ),
      )
      const winners = answers.flatMap(({ status }, at) => (status === 302 ? [at] : []))
      expect(winners).to.have.lengthOf(1)
      for (const { status } of answers) expect(status).to.be.oneOf([302, 400, 429, 503])
      expect(await first.ui.owners.listSessions(instance)).to.have.lengthOf(1)
      const passphrase = loginValueOf(winners[0] ?? -1)
      expect((await logIn(second.browser(), { passphrase })).status).to.equal(302)
      await second.close()
      await first.close()
    })

    it('one of 50 parallel uses of a session code wins', async () => {
      const store = await open()
      const first = await startUi({ store, oauth: { subdomains: 'flat' } })
      await createAlice(first)
      const secondStore = name === 'Redis' ? await open({ sameAs: store }) : store
      const second = await startUi({
        store: secondStore,
        key: first.key,
        clock: first.clock,
        oauth: { subdomains: 'flat' },
      })
      const { location = '' } = await logIn(first.browser(), { redirect: 'drive' })
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          (at % 2 === 0 ? first : second).browser().get(location),
        ),
      )
      for (const { status } of answers) expect(status).to.equal(302)
      const cookies = answers.filter((answer) => answer.setCookie('__Host-svcapp') !== undefined)
      expect(cookies).to.have.lengthOf(1)
      await second.close()
      await first.close()
    })
  })
})
