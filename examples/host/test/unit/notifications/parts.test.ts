import { mkdir, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createSealer, type InstanceId } from '@svc/platform'
import { recordKey } from '@svc/store'
import { eachStore, openMailbox } from '@svc/testkit'
import { expect } from 'chai'
import { loadConfig } from '../../../src/config/config.ts'
import { mobileOptions } from '../../../src/notifications/channel-options.ts'
import { mailOptions } from '../../../src/notifications/mail-options.ts'
import { isPhoneNumber } from '../../../src/notifications/owner-phone.ts'
import { developmentPushKeys } from '../../../src/notifications/push-keys.ts'
import { readTemplateFile } from '../../../src/notifications/template-files.ts'
import { closeAfterTest, suiteFolder } from '../../support/for-test.ts'

describe('readTemplateFile', () => {
  const root = suiteFolder()
  let app: string

  before(async () => {
    app = path.join(root, 'app')
    await mkdir(path.join(app, 'notifications'), { recursive: true })
    await writeFile(path.join(root, 'secret.txt'), 'secret')
    await writeFile(path.join(app, 'notifications', 'mail.liquid'), 'Hello {{ name }}')
    await writeFile(path.join(app, 'large.liquid'), 'x'.repeat(300_000))
    await symlink(path.join(root, 'secret.txt'), path.join(app, 'link.liquid'))
  })

  it("reads a file of the app's folder", async () => {
    const bytes = await readTemplateFile(app, 'notifications/mail.liquid')
    expect(Buffer.from(bytes ?? []).toString()).to.equal('Hello {{ name }}')
  })

  for (const place of ['absent.liquid', 'link.liquid', '../secret.txt', 'notifications', '.']) {
    it(`reads nothing at ${place}`, async () => {
      expect(await readTemplateFile(app, place)).to.equal(undefined)
    })
  }

  it('reads no more than tells that a file is too large', async () => {
    expect((await readTemplateFile(app, 'large.liquid'))?.byteLength).to.equal(262_145)
  })
})

eachStore((open) => {
  describe('developmentPushKeys', () => {
    it('makes one pair for all processes, whoever is first, and keeps its secret sealed', async () => {
      const store = await open()
      const sealer = createSealer([{ kid: 'test', key: Buffer.alloc(32, 7) }])
      const all = await Promise.all(
        Array.from({ length: 5 }, () => developmentPushKeys(store, sealer)),
      )
      expect(new Set(all.map(({ publicKey }) => publicKey)).size).to.equal(1)
      const [first] = all
      expect(all).to.deep.equal(all.map(() => first))
      expect(Buffer.from(String(first?.privateKey), 'base64url')).to.have.lengthOf(32)
      const stored = await store.get(recordKey('host', 'web-push-key', 'current'))
      expect(JSON.stringify(stored)).to.include(first?.publicKey)
      expect(JSON.stringify(stored)).to.not.include(first?.privateKey)
    })
  })
})

describe('configuration of notifications', () => {
  const load = (env: Record<string, string>) => loadConfig({ SVC_DATA_DIR: '/nowhere', ...env })

  it('takes gateways of texts for contexts, and names what is wrong with one without its value', () => {
    const pro = { provider: 'api_sen', url: 'https://sms.example', token: 't0p' }
    const good = load({ SVC_NOTIFICATIONS_CONTEXTS: JSON.stringify({ pro }) })
    expect(good.notifications.contexts).to.deep.equal({ pro })
    for (const text of ['t0p', '{"pro":{"token":"t0p"}}', '{"a/b":{}}']) {
      expect(() => load({ SVC_NOTIFICATIONS_CONTEXTS: text }), text)
        .to.throw('SVC_NOTIFICATIONS_CONTEXTS')
        .with.property('message')
        .that.does.not.include('t0p')
    }
  })

  it('wants the keys of web pushes, or of signatures, together', () => {
    const { notifications } = load({ SVC_NOTIFICATIONS_VAPID_SUBJECT: 'mailto:a@b.example' })
    expect(() => mobileOptions(notifications)).to.throw('belong together')
    const config = load({ SVC_MAIL_DKIM_DOMAIN: 'example.org' })
    expect(() => mailOptions(config, undefined)).to.throw('belong together')
    const absent = {
      SVC_MAIL_DKIM_DOMAIN: 'example.org',
      SVC_MAIL_DKIM_SELECTOR: 'a',
      SVC_MAIL_DKIM_KEY_FILE: '/nowhere/key.pem',
    }
    expect(() => mailOptions(load(absent), undefined)).to.throw('the file cannot be read')
  })
})

describe('mailOptions', () => {
  it('greets the SMTP server with SVC_MAIL_EHLO, else with the domain of SVC_MAIL_FROM', async () => {
    const mailbox = await openMailbox()
    const address = 'svc@mail.example.org'
    const mail = {
      messageId: '<1@example.org>',
      instanceId: 'a' as InstanceId,
      domain: 'example.org',
      template: 'notification',
      from: { address },
      to: { address: 'alice@mail.example' },
      subject: 'A',
      text: 'A',
      html: 'A',
      locale: 'en',
    }
    closeAfterTest(() => mailbox.close())
    const env = { SVC_DATA_DIR: '/nowhere', SVC_SMTP_URL: mailbox.url, SVC_MAIL_FROM: address }
    for (const more of [{}, { SVC_MAIL_EHLO: 'out.example.net' }]) {
      await mailOptions(loadConfig({ ...env, ...more }), undefined).transport.send(mail)
    }
    const names = mailbox.mails.map(({ clientName }) => clientName)
    expect(names).to.deep.equal(['mail.example.org', 'out.example.net'])
    expect(() => loadConfig({ ...env, SVC_MAIL_EHLO: 'a b' })).to.throw('SVC_MAIL_EHLO')
  })
})

describe('isPhoneNumber', () => {
  for (const text of ['+33612345678', '+33 6 12 34 56 78', '+1 (415) 555-2671']) {
    it(`takes ${text}`, () => expect(isPhoneNumber(text)).to.equal(true))
  }
  for (const text of ['', '0612345678', '+0612345678', '+33', '+33612345678901234', 'call me']) {
    it(`refuses ${text === '' ? 'nothing' : text}`, () =>
      expect(isPhoneNumber(text)).to.equal(false))
  }
})
