import { setTimeout as sleep } from 'node:timers/promises'
import type { Instance } from '@svc/platform'
import { createGate, eachStore, type Gate } from '@svc/testkit'
import { expect } from 'chai'
import { changePreferences } from '../../src/preferences/preference-store.ts'
import { CHANNELS, type ChannelName } from '../../src/outbox/notification.ts'
import type { EngineBench } from '../support/engine-bench.ts'
import { engineBenches } from '../support/engine-benches.ts'
import { type ScriptedChannel, scriptedChannel } from '../support/scripted-channel.ts'
import { until } from '../support/until.ts'

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

    it('each works on 8 at a time, and on 2 of one instance', async () => {
      const most = { ofChannel: 0, ofInstance: 0, ofAll: 0 }
      const underWay: string[] = []
      const count = (wanted: string): number =>
        underWay.filter((name) => name.startsWith(wanted)).length
      const channels = CHANNELS.map((name) =>
        scriptedChannel(name, async ({ instance }) => {
          const own = `${name} ${instance.domain}`
          underWay.push(own)
          most.ofInstance = Math.max(most.ofInstance, count(own))
          most.ofChannel = Math.max(most.ofChannel, count(name))
          most.ofAll = Math.max(most.ofAll, underWay.length)
          await sleep(10)
          underWay.splice(underWay.indexOf(own), 1)
          return { class: 'sent' }
        }),
      )
      const bench = await start({ channels, isIdle: true })
      const instances = [bench.alice]
      for (const name of NAMES) instances.push(await bench.instance(name))
      for (const name of CHANNELS) await flood(bench, name, instances)
      await bench.engine.start()
      await until(() => channels.every(({ deliveries }) => deliveries.length === 100), 30_000)
      expect(most.ofInstance).to.equal(2)
      expect(most.ofChannel).to.be.within(4, 8)
      expect(most.ofAll, 'channels work beside each other').to.be.above(8)
    }).timeout(40_000)

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
