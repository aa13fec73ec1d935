import { expect } from 'chai'
import { eachTestHost } from '../support/for-test.ts'

describe('the audit stream', () => {
  const host = eachTestHost({ SVC_LIMITS_AUTH: '1', SVC_LIMITS_AUTH_IP: '1' })

  function audited(): string[] {
    return host.log.flatMap(([event, fields]) => (fields?.['audit'] === true ? [event] : []))
  }

  it('has failed logins, the limit that ends them, and who asked', async () => {
    const browser = await host.browser(undefined, { anonymous: true })
    for (const status of [401, 429]) {
      const page = (await browser.get('/auth/login')).page()
      const answer = await browser.submit(page.form('/auth/login'), { passphrase: 'wrong' })
      expect(answer.status).to.equal(status)
    }
    const hit = host.log.find(([event]) => event === 'limit.hit')
    expect(audited()).to.include('login.failed')
    expect(hit?.[1]).to.include({ route: '/auth/login', audit: true, address: '127.0.0.1' })
  })

  it('has what the operator changes for an owner', async () => {
    await host.admin('POST', '/instances/alice.example.com/reset-passphrase')
    for (const body of [{ auth_mode: 'two_factor_mail' }, { magic_link: true }]) {
      await host.admin('PATCH', '/instances/alice.example.com', body)
    }
    expect(audited()).to.include.members(['passphrase.changed', 'two_factor.on', 'magic_link.on'])
  })
})
