import { anyStore, timeBudget, scaledLimit } from '@svc/testkit'
import { expect } from 'chai'
import type { EngineBench } from '../support/engine-bench.ts'
import { engineBenches } from '../support/engine-benches.ts'
import { scriptedChannel } from '../support/scripted-channel.ts'
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

    it('waits as long as the other side asks, up to a minute (10.4)', async () => {
      const mail = scriptedChannel('mail', (_, nth) =>
        nth === 1 ? { class: 'transient', retryAfterMs: 700 } : { class: 'sent' },
      )
      const bench = await start({ channels: [mail] })
      const record = await bench.becomes(await bench.post(), 'sent')
      const [first, second] = record.attempts
      expect((second?.at ?? 0) - (first?.at ?? 0)).to.be.within(700, timeBudget(2500))
    })

    it('counts a longer wait than a minute as the end of the channel (10.4)', async () => {
      const mobile = scriptedChannel('mobile', () => ({ class: 'transient', retryAfterMs: 60_001 }))
      const bench = await start({ channels: [mobile, scriptedChannel('mail')] })
      const id = await bench.post({ preferredChannels: ['mobile'] })
      expect(attemptsOf(await bench.becomes(id, 'sent'))).to.deep.equal([
        'mobile transient',
        'mail sent',
      ])
    })

    it('begins another round over the channels that may work later, and no other (10.5)', async () => {
      const mobile = scriptedChannel('mobile', () => ({ class: 'permanent', code: 'no_device' }))
      const sms = scriptedChannel('sms', () => ({ class: 'config', code: 'not_configured' }))
      const mail = scriptedChannel('mail', (_, nth) => ({
        class: nth > 4 ? 'sent' : 'transient',
      }))
      const bench = await start({ channels: [mobile, sms, mail] })
      const id = await bench.post({ preferredChannels: ['mobile', 'sms'] })
      const record = await bench.becomes(id, 'sent')
      expect(mobile.deliveries).to.have.length(1)
      expect(sms.deliveries).to.have.length(2)
      expect(mail.deliveries).to.have.length(5)
      expect(record.round).to.equal(1)
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

    it('fails at once when no channel can ever work (10.5)', async () => {
      const mobile = scriptedChannel('mobile', () => ({ class: 'permanent', code: 'no_device' }))
      const mail = scriptedChannel('mail', () => ({ class: 'permanent', code: 'no_email' }))
      const bench = await start({ channels: [mobile, mail] })
      const id = await bench.post({ preferredChannels: ['mobile'] })
      const record = await bench.becomes(id, 'failed')
      expect(record.reason).to.equal('mobile permanent no_device, mail permanent no_email')
      expect(record.attempts).to.have.length(2)
      expect(record.round).to.equal(0)
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

    it('keeps warnings with the attempt', async () => {
      const mail = scriptedChannel('mail', () => ({ class: 'sent', warnings: ['template_error'] }))
      const bench = await start({ channels: [mail] })
      const { attempts } = await bench.becomes(await bench.post(), 'sent')
      expect(attempts[0]?.warnings).to.deep.equal(['template_error'])
    })

    it('gives channels the bodies of the request', async () => {
      const mail = scriptedChannel('mail')
      const bench = await start({ channels: [mail] })
      const id = await bench.post({ content: 'plain', contentHtml: '<p>rich</p>' })
      const record = await bench.becomes(id, 'sent')
      expect(mail.deliveries[0]?.record).to.include({
        content: 'plain',
        contentHtml: '<p>rich</p>',
      })
      expect(record).to.include({ content: 'plain', contentHtml: '<p>rich</p>' })
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
