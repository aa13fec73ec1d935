import { until } from '@svc/testkit'
import { expect } from 'chai'
import { testHost } from '../support/for-test.ts'
import type { TestHost } from '../support/test-host.ts'

const DOMAIN = 'alice.localhost'
const PATH = `/instances/${DOMAIN}`

async function sendText(host: TestHost): Promise<void> {
  await host.admin('PATCH', PATH, { phone: '+33612345678' })
  const notification = { title: 't', message: '<b>Hello</b>', preferred_channels: ['sms'] }
  const answer = await host.admin('POST', `${PATH}/notifications`, { notification })
  expect(answer.status).to.equal(201)
}

describe('/dev/outbox', () => {
  it('shows the last pushes and texts of the instance to this machine, as text', async () => {
    const host = await testHost({}, DOMAIN)
    const browser = await host.browser(undefined, { anonymous: true })
    const empty = await browser.get('/dev/outbox')
    expect(empty.status).to.equal(200)
    const policy = empty.headers['content-security-policy']
    expect(policy).to.include("default-src 'none'").and.include("form-action 'none'")
    expect(empty.text).to.include('Nothing yet.')
    await sendText(host)
    const list = await until(async () => {
      const shown = await browser.get('/dev/outbox')
      return shown.text.includes('Nothing yet.') ? undefined : shown
    })
    expect(list.page().text).to.include('Text to +33612345678')
    const [entry] = list.page().links
    const shown = await browser.get(entry?.href ?? '')
    expect(shown.status).to.equal(200)
    expect(shown.text).to.include('&lt;b&gt;Hello&lt;/b&gt;').and.not.include('<b>Hello')
    expect((await browser.get('/dev/outbox/absent')).status).to.equal(404)
  })

  it('is told from sending in the log: pushes, texts and mails', async () => {
    const host = await testHost({}, DOMAIN)
    const { oauth, notify } = host.host.app
    const { party } = await host.connect('io.svc.files:GET', {
      notification_platform: 'android',
      notification_device_token: 'a-device-token',
    })
    // Devices of the flagship app get what has no app of its own.
    await oauth.clients.setFlagship(host.instance, party.client.client_id, true)
    await sendText(host)
    for (const channel of ['mobile', 'mail']) {
      await notify.post(host.instance, {
        originator: 'cli',
        category: 'news',
        declaration: {},
        title: channel,
        preferredChannels: [channel],
      })
    }
    const told = (event: string): readonly unknown[] =>
      host.log.filter(([name]) => name === event).map(([, fields]) => fields?.['channel'])
    await until(() => (told('notification.kept').length === 3 ? true : undefined))
    expect(told('notification.kept')).to.have.members(['mail', 'mobile', 'sms'])
    const mail = { template: 'onboarding', variables: { url: host.instance.origin } } as const
    await notify.mailer.send(host.instance, mail)
    expect(told('mail.kept')).to.not.have.lengthOf(0)
    expect(
      host.log.map(([event]) => event).filter((event) => event.endsWith('sent')),
    ).to.deep.equal([])
  })

  const sms = {
    SVC_NOTIFICATIONS_SMS_URL: 'http://127.0.0.1:9/',
    SVC_NOTIFICATIONS_SMS_TOKEN: 'token',
    SVC_NOTIFICATIONS_HUAWEI_GET_TOKEN: 'http://127.0.0.1:9/',
    SVC_NOTIFICATIONS_HUAWEI_SEND_MESSAGE: 'http://127.0.0.1:9/',
  }
  it('answers 404 when pushes and texts are sent', async () => {
    const host = await testHost(sms, DOMAIN)
    const browser = await host.browser(undefined, { anonymous: true })
    expect((await browser.get('/dev/outbox')).status).to.equal(404)
    expect((await host.admin('GET', `${PATH}/outbox`)).status).to.equal(404)
  })
})
