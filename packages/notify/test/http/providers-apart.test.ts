import type { Instance } from '@svc/platform'
import { anyStore, type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import type { Channel, ChannelOutcome } from '../../src/channels/channel.ts'
import { createCircuitBreaker } from '../../src/circuit-breaker.ts'
import { createMailChannel } from '../../src/channels/mail-channel.ts'
import { createMobileChannel } from '../../src/channels/mobile/mobile-channel.ts'
import type { PushGateway } from '../../src/channels/mobile/push-gateway.ts'
import { createSmsChannel } from '../../src/channels/sms/sms-channel.ts'
import { createSmsSender } from '../../src/channels/sms/sms-sender.ts'
import type { MailOptions } from '../../src/mail/mail-options.ts'
import type { MailTransport, OutgoingMail } from '../../src/ports.ts'
import { engineBenches } from '../support/engine-benches.ts'
import { closeServers, startNotify } from '../support/notify-server.ts'
import { type OwnerDevices, openOwnerDevices } from '../support/owner-devices.ts'
import { recordedLog } from '../support/recorded-log.ts'
import { renderServices } from '../support/render-services.ts'
import { sampleRecord } from '../support/sample-record.ts'
import { until } from '../support/until.ts'

const SILENT = (): Promise<never> => new Promise(() => undefined)
anyStore((open) => {
  // Inside: what a test started ends before its store does.
  describe('providers of one channel do not wait for each other (notifications.md 12 rule 4)', () => {
    const start = engineBenches(open)

    describe('pushes', () => {
      let clock: FakeClock
      let owner: OwnerDevices
      let asked: string[]
      beforeEach(async () => {
        clock = fakeClock()
        owner = await openOwnerDevices(await open({ clock }), clock)
        asked = []
      })
      afterEach(() => owner.close())

      /** Those of `android` get no answer. */
      function openChannel(): Channel {
        const gateway: PushGateway = {
          send: ({ platform, token }) => {
            asked.push(token)
            return platform === 'android' ? SILENT() : Promise.resolve({ class: 'sent' })
          },
        }
        const services = { ...renderServices(owner.oauth, recordedLog().log), clock }
        return createMobileChannel(services, { gateway, hitPushQuota: async () => 0 })
      }
      const attempt = (channel: Channel, signal: AbortSignal): Promise<ChannelOutcome> =>
        channel.attempt({ instance: owner.instance, record: sampleRecord(), signal })
      const drive = (token: string, platform: string) =>
        owner.add({ token, platform, softwareId: 'registry://drive' })

      it('reach the devices of those that answer, however many of the silent one are newer', async () => {
        await drive('answering', 'huawei')
        for (let place = 0; place < 8; place += 1) await drive(`silent-${place}`, 'android')
        const end = new AbortController()
        const attempting = attempt(openChannel(), end.signal)
        await until(() => asked.includes('answering'))
        expect(asked).to.have.length(6)
        end.abort(new DOMException('over', 'TimeoutError'))
        expect(await attempting).to.include({ class: 'sent', isUnfinished: true })
      })

      it('end at once where a provider said nothing twice: it keeps no place from others', async () => {
        for (let place = 0; place < 2; place += 1) await drive(`silent-${place}`, 'android')
        const channel = openChannel()
        const first = await attempt(channel, AbortSignal.timeout(50))
        expect(first).to.include({ class: 'transient', code: 'timeout' })
        const second = await attempt(channel, new AbortController().signal)
        expect(second).to.include({ class: 'transient', code: 'not_answering' })
        expect(asked).to.have.length(2)
        await drive('answering', 'huawei')
        const third = await attempt(channel, new AbortController().signal)
        expect(third).to.include({ class: 'sent', isUnfinished: true })
      })
    })

    it('texts end at once where a gateway said nothing twice', async () => {
      const bench = await start({ channels: [], isIdle: true })
      const provider = { provider: 'api_sen', url: 'https://sms.example', token: 't' } as const
      let asked = 0
      const { oauth } = bench
      const services = { ...renderServices(oauth, recordedLog().log), clock: oauth.clock }
      const channel = createSmsChannel(services, {
        sender: createSmsSender(services, {
          options: { default: provider, gateway: { send: () => ((asked += 1), SILENT()) } },
          outbound: { request: SILENT },
        }),
        contacts: { contactOf: async () => ({ phone: '+33612345678' }) },
      })
      const attempt = (signal: AbortSignal): Promise<ChannelOutcome> =>
        channel.attempt({
          instance: bench.alice,
          record: sampleRecord({ message: 'Text' }),
          signal,
        })
      for (let place = 0; place < 2; place += 1) {
        const outcome = await attempt(AbortSignal.timeout(10))
        expect(outcome).to.deep.equal({ class: 'transient', code: 'timeout' })
      }
      const outcome = await attempt(new AbortController().signal)
      expect(outcome).to.deep.equal({ class: 'transient', code: 'not_answering' })
      expect(asked).to.equal(2)
    })

    it('mails over a server that says nothing hold up no other context’s server', async () => {
      let asked = 0
      const sent: OutgoingMail[] = []
      const options: MailOptions = {
        transport: { send: () => ((asked += 1), SILENT()) },
        contexts: { other: { transport: { send: async (mail) => void sent.push(mail) } } },
      }
      const { oauth } = await start({ channels: [], isIdle: true })
      const { log } = oauth
      // Its clock stands still: however slow the machine is, the silent server is not asked again.
      const breaker = createCircuitBreaker<MailTransport>({ clock: fakeClock() })
      const mail = createMailChannel(
        { ...renderServices(oauth, log), mailSender: { options, breaker } },
        () => ({}),
      )
      const bench = await start({
        channels: [mail],
        lifetimes: { attempt: 700 },
        channelDelays: [60_000],
        isIdle: true,
      })
      const crowd: Instance[] = []
      for (let place = 0; place < 30; place += 1) {
        crowd.push(await bench.instance(`crowd${place}`))
      }
      const last = await bench.oauth.instances.update((await bench.instance('zoe')).id, {
        context: 'other',
      })
      for (const instance of crowd) await bench.post({}, instance)
      const id = await bench.post({}, last)
      await bench.engine.start()
      await bench.becomes(id, 'sent', last)
      expect(sent.map(({ domain }) => domain)).to.deep.equal(['zoe.example.com'])
      // As many as there are places, not as many as waited.
      expect(asked).to.be.at.most(8)
    })

    describe('digests', () => {
      afterEach(closeServers)

      it('wait for a transport that says nothing no longer than an attempt may take', async () => {
        const sent: OutgoingMail[] = []
        let asked = 0
        const server = await startNotify({
          store: (clock) => open({ clock }),
          lifetimes: { attempt: 200 },
          transport: {
            send: (mail) => ((asked += 1) === 1 ? SILENT() : Promise.resolve(void sent.push(mail))),
          },
        })
        server.clock.set(Date.parse('2027-01-10T10:01:00Z'))
        const categories = [{ name: 'bills', digest: '15m' }]
        await server.choose({ sources: [{ id: 'io.svc.apps/bank', categories }] })
        const id = await server.post({ category: 'bills', title: 'Water' })
        await server.gathered(id)
        server.clock.set(Date.parse('2027-01-10T10:15:01Z'))
        await until(() => sent.length === 1)
        expect(sent[0]?.text).to.include('Water')
      })
    })
  })
})
