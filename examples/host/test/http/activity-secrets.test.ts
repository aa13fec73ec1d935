import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { suiteHost } from '../support/for-test.ts'

/** Entries that are scanned; 10 000 take about two minutes. */
const ENTRIES = 300
/** Hints and logins are hashed, which takes long. */
const HASHING_EVERY = 100
const UNLIMITED = '1000000'

/** @see owner.md 5.9 */
describe('the record of activity, with secrets in everything that is sent', function () {
  this.timeout(30_000 + ENTRIES * 30)
  const host = suiteHost({
    SVC_LIMITS_HINT_CHANGE: UNLIMITED,
    SVC_LIMITS_SEND_HINT: UNLIMITED,
    SVC_LIMITS_AUTH: UNLIMITED,
    SVC_LIMITS_AUTH_IP: UNLIMITED,
    SVC_LIMITS_PASSPHRASE_RESET: UNLIMITED,
  })

  it(`has none of them in ${ENTRIES} entries`, async () => {
    const { activity, mailbox, ui } = host.host.app
    const { instance } = host
    const planted: string[] = ['alice@mail.example']
    const secret = (): string => {
      const made = randomBytes(9).toString('hex')
      planted.push(made)
      return made
    }
    const browser = await host.browser()
    const access = await host.appToken('settings')
    planted.push(access.token)
    const call = (method: string, path: string, body: object) =>
      host.call(access, method, path, body)
    for (let at = 0; at < ENTRIES; at += 1) {
      await call('PATCH', '/settings/profile', { public_name: secret() })
      if (at % HASHING_EVERY !== 0) continue
      await call('PUT', '/settings/hint', { hint: secret() })
      await browser.another().post('/auth/login', { passphrase: secret() })
      await browser.another().post('/auth/hint', {})
      await call('PUT', '/settings/profile/email', {
        confirmation_code: secret(),
        confirmation_state: secret(),
        email: `${secret()}@new.example`,
      })
      await call('PUT', '/settings/profile/phone', { phone: '+33612345678', code: secret() })
    }
    await browser.another().post('/auth/passphrase_reset', {})
    for (const { id } of await ui.owners.listSessions(instance)) planted.push(id)
    await ui.close()
    const mails = (await mailbox?.list(instance)) ?? []
    const tokens = mails.flatMap(({ mail }) => mail.text.match(/(?<=token=)[0-9a-f]{16,}/g) ?? [])
    const lines: string[] = []
    for await (const line of activity.exportLines(instance)) lines.push(line)
    expect(lines.length).to.be.at.least(ENTRIES)
    const text = lines.join('')
    for (const each of [...planted, ...tokens, '612345678'])
      expect(text.includes(each)).to.equal(false)
    expect(await activity.verify(instance)).to.include({ unbroken: true })
  })
})
