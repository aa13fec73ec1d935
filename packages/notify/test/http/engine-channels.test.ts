import type { Instance } from '@svc/platform'
import { anyStore, createGate, eachStore, type Gate, scaledLimit } from '@svc/testkit'
import { expect } from 'chai'
import { type ChannelName, CHANNELS } from '../../src/outbox/notification.ts'
import { changePreferences } from '../../src/preferences/preference-store.ts'
import type { EngineBench } from '../support/engine-bench.ts'
import { engineBenches } from '../support/engine-benches.ts'
import { scriptedChannel, type ScriptedChannel } from '../support/scripted-channel.ts'
import { until } from '../support/until.ts'

/** Attempts as `channel class code`. */
function attemptsOf({ attempts }: Awaited<ReturnType<EngineBench['read']>>): readonly string[] {
  return attempts.map(({ channel, class: result, code }) =>
    [channel, result, code].filter((part) => part !== undefined).join(' '),
  )
}

anyStore((open) => {
  // Inside: what a test started ends before its store does.
  describe('channels of a notification (notifications.md 10)', () => {
    const start = engineBenches(open)

    it('goes out over the first channel that takes it, and over no other (10.2)', async () => {
      const [mobile, mail] = [scriptedChannel('mobile'), scriptedChannel('mail')]
      const bench = await start({ channels: [mobile, mail] })
      const id = await bench.post({ preferredChannels: ['mobile', 'mail'] })
      const record = await bench.becomes(id, 'sent')
      expect(record.channel).to.equal('mobile')
      expect(record.sentAt).to.be.at.least(record.createdAt)
      expect(record.lastSentAt).to.equal(record.sentAt)
      expect(record.finishedAt).to.equal(record.sentAt)
      expect(attemptsOf(record)).to.deep.equal(['mobile sent'])
      expect(record.lease).to.equal(undefined)
      expect(mail.deliveries).to.have.length(0)
    })

    it('tries channels in the order asked for, mail last when it was not named (10.1, 10.4)', async () => {
      const mobile = scriptedChannel('mobile', () => ({ class: 'permanent', code: 'no_device' }))
      const sms = scriptedChannel('sms', () => ({ class: 'config', code: 'smtp_off' }))
      const mail = scriptedChannel('mail')
      const bench = await start({ channels: [mobile, sms, mail] })
      const id = await bench.post({ preferredChannels: ['sms', 'mobile'] })
      const record = await bench.becomes(id, 'sent')
      expect(attemptsOf(record)).to.deep.equal([
        'sms config smtp_off',
        'mobile permanent no_device',
        'mail sent',
      ])
      expect(record.channel).to.equal('mail')
    })

    it('tries a channel again after a passing fault, then the next one (10.4)', async () => {
      const mobile = scriptedChannel('mobile', () => ({ class: 'transient', code: 'http_503' }))
      const mail = scriptedChannel('mail')
      const bench = await start({ channels: [mobile, mail], channelDelays: [50, 100, 150] })
      const id = await bench.post({ preferredChannels: ['mobile'] })
      const record = await bench.becomes(id, 'sent')
      expect(attemptsOf(record)).to.deep.equal([
        ...Array.from({ length: 4 }, () => 'mobile transient http_503'),
        'mail sent',
      ])
      const times = record.attempts.map(({ at }) => at)
      const waits = times.slice(1, 4).map((at, place) => at - (times[place] ?? 0))
      // A fifth more or less, and never early.
      for (const [place, wait] of waits.entries()) {
        expect(wait).to.be.at.least([40, 80, 120][place] ?? 0)
      }
    })

    it('fails after the last round, with the last fault of each channel as the reason (10.5, 12)', async () => {
      const mobile = scriptedChannel('mobile', () => ({ class: 'permanent', code: 'no_device' }))
      const mail = scriptedChannel('mail', () => ({ class: 'config', code: 'smtp_535' }))
      const bench = await start({ channels: [mobile, mail], roundDelays: [30, 30] })
      const id = await bench.post({ preferredChannels: ['mobile'] })
      const record = await bench.becomes(id, 'failed')
      expect(record.reason).to.equal('mobile permanent no_device, mail config smtp_535')
      expect(mail.deliveries).to.have.length(3)
      expect(mobile.deliveries).to.have.length(1)
      expect(record.finishedAt).to.be.at.least(record.createdAt)
      expect(bench.logged.join()).to.include('error notification.failed')
    })

    it('counts a channel that this server does not have as not configured', async () => {
      const bench = await start({ channels: [scriptedChannel('mail')] })
      const id = await bench.post({ preferredChannels: ['sms'] })
      expect(attemptsOf(await bench.becomes(id, 'sent'))).to.deep.equal([
        'sms config not_configured',
        'mail sent',
      ])
    })

    it('ends an attempt that takes too long, and tries again (10.6)', async () => {
      let isAborted = false
      const mail = scriptedChannel('mail', async ({ signal }, nth) => {
        if (nth > 1) return { class: 'sent' }
        return new Promise(() => {
          signal.addEventListener('abort', () => {
            isAborted = true
          })
        })
      })
      const bench = await start({ channels: [mail], lifetimes: { attempt: scaledLimit(90) } })
      const record = await bench.becomes(await bench.post(), 'sent')
      expect(attemptsOf(record)).to.deep.equal(['mail transient timeout', 'mail sent'])
      expect(isAborted).to.equal(true)
    })

    it('treats a channel that throws as a passing fault, and says so in the log', async () => {
      const mail = scriptedChannel('mail', (_, nth) => {
        if (nth === 1) throw new Error('a mistake of the channel')
        return { class: 'sent' }
      })
      const bench = await start({ channels: [mail] })
      const record = await bench.becomes(await bench.post(), 'sent')
      expect(attemptsOf(record)).to.deep.equal(['mail transient internal_error', 'mail sent'])
      expect(bench.logged.join()).to.include('error notification.channel_broken')
    })

    it('keeps what a channel wants to know at its next attempt, over rounds too', async () => {
      const mail = scriptedChannel('mail', ({ memo }, nth) =>
        nth > 6 ? { class: 'sent' } : { class: 'transient', memo: [...((memo as []) ?? []), nth] },
      )
      const bench = await start({
        channels: [mail],
        channelDelays: [10],
        roundDelays: [10, 10, 10],
      })
      await bench.becomes(await bench.post(), 'sent')
      expect(mail.deliveries.at(-1)?.memo).to.deep.equal([1, 2, 3, 4, 5, 6])
    })

    describe('devices left over (16.1.6)', () => {
      it('counts as sent at once, and tries the rest with the delays of the channel', async () => {
        const mobile = scriptedChannel('mobile', (_, nth) =>
          nth === 1
            ? { class: 'sent', isUnfinished: true, memo: ['one'] }
            : nth === 2
              ? { class: 'transient', code: 'http_500' }
              : { class: 'sent', memo: ['one', 'two'] },
        )
        const mail = scriptedChannel('mail')
        const bench = await start({ channels: [mobile, mail] })
        const id = await bench.post({ preferredChannels: ['mobile'] })
        const { sentAt } = await bench.becomes(id, 'sent')
        await untilFinished(bench, id)
        const record = await bench.read(id)
        expect(record.status).to.equal('sent')
        expect(record.sentAt).to.equal(sentAt)
        expect(mobile.deliveries).to.have.length(3)
        expect(mobile.deliveries[1]?.memo).to.deep.equal(['one'])
        expect(mail.deliveries).to.have.length(0)
      })

      it('gives the rest up after the last delay', async () => {
        const mobile = scriptedChannel('mobile', () => ({ class: 'sent', isUnfinished: true }))
        const bench = await start({ channels: [mobile] })
        const id = await bench.post({ preferredChannels: ['mobile'] })
        await untilFinished(bench, id)
        expect(mobile.deliveries).to.have.length(4)
        expect(await bench.read(id)).to.include({ status: 'sent', channel: 'mobile' })
      })

      async function untilFinished(bench: EngineBench, id: string): Promise<void> {
        await until(async () => {
          const { status, hasFollowUp } = await bench.read(id)
          return status === 'sent' && hasFollowUp === undefined
        })
      }
    })
  })
})

const NAMES = ['bob', 'carol', 'dave', 'erin']

eachStore((open, storeName) => {
  // Inside: what a test started ends before its store does.
  describe('channels of notifications do not wait for each other (notifications.md 12 rules 4, 5)', () => {
    const start = engineBenches(open)
    const gates: Gate[] = []
    afterEach(() => {
      for (const gate of gates.splice(0)) gate.open()
    })

    /** A channel whose provider takes what it is given and says nothing. */
    function hanging(name: ChannelName): {
      readonly channel: ScriptedChannel
      readonly gate: Gate
    } {
      const gate = createGate()
      gates.push(gate)
      const channel = scriptedChannel(name, async () => {
        await gate.pass()
        return { class: 'sent' }
      })
      return { channel, gate }
    }
    async function flood(
      bench: EngineBench,
      name: ChannelName,
      instances: readonly Instance[] = [bench.alice],
    ): Promise<void> {
      for (const instance of instances) {
        for (let place = 0; place < 20; place += 1) {
          await bench.post({ title: 'held up', preferredChannels: [name] }, instance)
        }
      }
    }

    for (const name of CHANNELS) {
      it(`${name} that hangs holds up nothing of the same owner’s other channels`, async () => {
        const { channel, gate } = hanging(name)
        const others = CHANNELS.filter((other) => other !== name)
        const answering = others.map((other) => scriptedChannel(other))
        const bench = await start({ channels: [channel, ...answering] })
        await flood(bench, name)
        await gate.arrived(2)
        for (const other of others) {
          const id = await bench.post({ preferredChannels: [other] })
          expect((await bench.becomes(id, 'sent')).channel).to.equal(other)
        }
        expect(channel.deliveries).to.have.length(2)
      })
    }

    it('mails of several owners that hang hold up no push of others', async () => {
      const { channel, gate } = hanging('mail')
      const bench = await start({ channels: [channel, scriptedChannel('mobile')] })
      const instances: Instance[] = []
      for (const name of NAMES) instances.push(await bench.instance(name))
      await flood(bench, 'mail', instances)
      await gate.arrived(8)
      for (const instance of [...instances, bench.alice]) {
        const id = await bench.post({ preferredChannels: ['mobile'] }, instance)
        await bench.becomes(id, 'sent', instance)
      }
      expect(channel.deliveries).to.have.length(8)
    })

    it('what falls back to a channel that hangs holds up nothing of the one it comes from', async () => {
      const { channel: mail, gate } = hanging('mail')
      const mobile = scriptedChannel('mobile', ({ record }) =>
        record.title === 'held up' ? { class: 'permanent', code: 'no_device' } : { class: 'sent' },
      )
      const bench = await start({ channels: [mobile, mail] })
      await flood(bench, 'mobile')
      await gate.arrived(2)
      await bench.becomes(await bench.post({ preferredChannels: ['mobile'] }), 'sent')
      await until(() => mobile.deliveries.length === 21)
      expect(mail.deliveries).to.have.length(2)
      gate.open()
      await until(() => mail.deliveries.length === 20)
    })

    it('what the owner’s choices send over another channel waits for its turn there', async () => {
      const { channel: mail, gate } = hanging('mail')
      const mobile = scriptedChannel('mobile')
      const bench = await start({
        channels: [mobile, mail],
      })
      const balance = { off: ['mobile'] } as const
      await changePreferences(bench.oauth, bench.alice, () => ({
        sources: { 'io.svc.apps/bank': { categories: { balance } } },
      }))
      await flood(bench, 'mobile')
      await gate.arrived(2)
      const other = await bench.post({ category: 'bills', preferredChannels: ['mobile'] })
      await bench.becomes(other, 'sent')
      expect(mail.deliveries).to.have.length(2)
      expect(mobile.deliveries).to.have.length(1)
      gate.open()
      await until(() => mail.deliveries.length === 20)
    })

    it('one that a dead worker left keeps nobody waiting while its provider says nothing', async () => {
      const { channel, gate } = hanging('mail')
      const bench = await start({ channels: [channel, scriptedChannel('mobile')] })
      const leftAt = Date.now() - 1
      for (let place = 0; place < 2; place += 1) {
        await bench.post({
          status: 'sending',
          dueAt: leftAt,
          lease: { token: 'of a dead one', until: leftAt },
          progress: { mail: { tries: 0, isDone: false } },
        })
      }
      await gate.arrived(1)
      await bench.becomes(await bench.post({ preferredChannels: ['mobile'] }), 'sent')
      await gate.arrived(2)
      await bench.becomes(await bench.post({ preferredChannels: ['mobile'] }), 'sent')
    })

    if (storeName === 'Redis') {
      it('and none is sent twice by two processes when its channel changes', async () => {
        const script = async ({ record }: { record: { title: string } }) =>
          ({ class: record.title === 'mail' ? 'permanent' : 'sent' }) as const
        const mobiles = [scriptedChannel('mobile', script), scriptedChannel('mobile', script)]
        const mails = [scriptedChannel('mail'), scriptedChannel('mail')]
        const store = await open()
        const one = await start({ store, channels: [mobiles[0], mails[0]] as ScriptedChannel[] })
        await start({
          store: await open({ sameAs: store }),
          sameAs: one,
          channels: [mobiles[1], mails[1]] as ScriptedChannel[],
        })
        const ids: string[] = []
        for (let place = 0; place < 60; place += 1) {
          const title = place % 2 === 0 ? 'mail' : 'mobile'
          ids.push(await one.post({ title, preferredChannels: ['mobile'] }))
        }
        for (const id of ids) await one.becomes(id, 'sent')
        const mailed = mails.flatMap(({ deliveries }) => deliveries.map(({ record }) => record.id))
        expect(mailed).to.have.length(30)
        expect(new Set(mailed).size).to.equal(30)
      })
    }
  })
})
