import { createECDH } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { anyStore, fakeClock, type Mailbox, openMailbox } from '@svc/testkit'
import { expect } from 'chai'
import webPush from 'web-push'
import {
  createNotify,
  type MobileOptions,
  type NoticePages,
  type Notify,
  type PushGateway,
  smtpTransport,
} from '../../../src/index.ts'
import { type FcmServer, openFcmServer } from '../../support/fcm-server.ts'
import { type OwnerDevices, openOwnerDevices } from '../../support/owner-devices.ts'
import { until } from '../../support/until.ts'

const UNREGISTERED = {
  status: 404,
  json: { error: { details: [{ errorCode: 'UNREGISTERED' }] } },
}

anyStore((open) => {
  // notifications.md 10, 16: the whole package, FCM and SMTP on loopback.
  describe('a notification for the phone', () => {
    let fcm: FcmServer
    let owner: OwnerDevices
    let mailbox: Mailbox
    let notify: Notify
    let folder: string

    beforeEach(async () => {
      const clock = fakeClock()
      fcm = await openFcmServer()
      mailbox = await openMailbox()
      owner = await openOwnerDevices(await open({ clock }), clock)
      await owner.oauth.instances.update(owner.instance.id, { email: 'alice@mail.example' })
      folder = await mkdtemp(path.join(tmpdir(), 'svc-push-'))
      const credentialsFile = path.join(folder, 'fcm.json')
      await writeFile(credentialsFile, JSON.stringify(fcm.account))
      await start({ fcm: { credentialsFile, endpoint: fcm.origin } })
    })
    afterEach(async () => {
      await notify.close()
      await owner.close()
      await mailbox.close()
      await fcm.close()
      await rm(folder, { recursive: true })
    })

    async function start(mobile: MobileOptions): Promise<void> {
      const transport = smtpTransport({ host: '127.0.0.1', port: mailbox.port, disableTls: true })
      notify = createNotify({
        oauth: owner.oauth,
        channels: { mail: { transport }, mobile },
        channelDelays: [50, 50, 50],
      })
      // Mounts what `routes` declares; no page is shown here.
      notify.routes({ pages: {} as NoticePages })
      await notify.start()
    }
    const post = () =>
      notify.post(owner.instance, {
        originator: 'cli',
        category: 'shares',
        declaration: {},
        slug: 'drive',
        title: 'Shared',
        message: 'with you',
        preferredChannels: ['mobile'],
      })
    const drive = (token: string) => owner.add({ token, softwareId: 'registry://drive' })
    const tokens = (): unknown[] => fcm.calls.map(({ message }) => message['token'])

    it('comes by mail when the phone is gone, which is then no longer tried', async () => {
      await drive('gone')
      fcm.answers.push(UNREGISTERED)
      await post()
      expect((await mailbox.waitForMail()).subject).to.equal('Shared')
      expect(await owner.tokens()).to.deep.equal([])
      mailbox.clear()
      await post()
      await mailbox.waitForMail()
      expect(tokens()).to.deep.equal(['gone'])
    })

    it('is not pushed to a browser that subscribed with another key of the server', async () => {
      await notify.close()
      const pushed: string[] = []
      const gateway: PushGateway = {
        async send({ token }) {
          pushed.push(token)
          return { class: 'sent' }
        },
      }
      const openWith = (): Promise<void> =>
        start({
          webpush: { ...webPush.generateVAPIDKeys(), subject: 'mailto:a@b.example' },
          gateway,
        })
      await openWith()
      const point = createECDH('prime256v1').generateKeys('base64url')
      const keys = { p256dh: point, auth: 'A'.repeat(22) }
      const token = JSON.stringify({ endpoint: 'https://push.example/1', keys })
      await owner.add({ platform: 'webpush', token, softwareId: 'registry://drive' })
      await post()
      await until(() => pushed.length > 0)
      await notify.close()
      await openWith()
      await post()
      await mailbox.waitForMail()
      expect(pushed).to.deep.equal([token])
    })

    it('reaches a second phone later when its provider was busy, the first one once', async () => {
      await drive('second')
      await drive('first')
      // The newest is asked first, and both at once.
      fcm.answers.push({ status: 503 }, { status: 200, json: { name: 'n' } }, { status: 503 })
      await post()
      await until(() => fcm.calls.length === 4)
      await notify.close()
      const [one, other, ...again] = tokens()
      expect([one, other]).to.have.members(['first', 'second'])
      expect(again).to.deep.equal([one, one])
      expect(mailbox.mails).to.have.lengthOf(0)
    })
  })
})
