import type { OAuth } from '@svc/oauth-core'
import { expect } from 'chai'
import { DEFAULT_LIFETIMES } from '../../src/lifetimes.ts'
import { DEFAULT_LIMITS } from '../../src/limits.ts'
import type { NotifyOptions } from '../../src/options.ts'
import { optionFaults, resolveOptions } from '../../src/resolve-options.ts'

const channels = { mail: { transport: { send: async () => {} } } }
// Nothing of it is looked at here but its log.
const oauth = { log: { info() {}, warn() {}, error() {} } } as unknown as OAuth

function withOptions(options: object): NotifyOptions {
  // What a program without types may give.
  return { oauth, channels, ...options } as NotifyOptions
}

describe('options of notifications', () => {
  it('have defaults for all but the core and the way of mails', () => {
    const { lifetimes, limits, ...rest } = resolveOptions({ oauth, channels })
    expect(lifetimes).to.deep.equal(DEFAULT_LIFETIMES)
    expect(limits).to.deep.equal(DEFAULT_LIMITS)
    expect(rest).to.deep.include({
      ...{ settingsSlug: 'settings', sourcePrefix: 'svc', maxUnfinished: 200 },
      channelDelays: [1000, 5000, 25_000],
      roundDelays: [60_000, 300_000, 1_800_000, 7_200_000, 21_600_000],
      concurrency: { total: 8, perInstance: 2 },
    })
  })

  for (const [fault, options] of [
    ['options.channels.mail.transport', { channels: { mail: {} } }],
    ['options.channels.sms.default.url', { channels: { ...channels, sms: smsWith('nowhere') } }],
    ['options.channelDelays', { channelDelays: Array.from({ length: 21 }, () => 1) }],
    ['options.channelDelays[1]', { channelDelays: [1, -1] }],
    ['options.roundDelays[0]', { roundDelays: [0.5] }],
    ['options.concurrency.total', { concurrency: { total: 0 } }],
    ['options.concurrency.perInstance', { concurrency: { perInstance: '2' } }],
    ['options.lifetimes.lease', { lifetimes: { lease: 0 } }],
    ['options.lifetimes.leese', { lifetimes: { leese: 1000 } }],
    ['options.limits.notify-mail.limit', { limits: { 'notify-mail': limit(-1) } }],
    ['options.limits.notify-mails', { limits: { 'notify-mails': limit(1) } }],
    ['options.maxUnfinished', { maxUnfinished: 0 }],
    ['options.settingsSlug', { settingsSlug: 'No Slug' }],
    ['options.sourcePrefix', { sourcePrefix: 'a/b' }],
  ] as const) {
    it(`name the fault of ${fault}`, () => {
      expect(optionFaults(withOptions(options)).map((text) => text.split(':')[0])).to.include(fault)
    })
  }

  it('name all faults at once', () => {
    const wrong = withOptions({ maxUnfinished: 0, sourcePrefix: '', concurrency: { total: 0 } })
    expect(() => resolveOptions(wrong)).to.throw(TypeError, /maxUnfinished.*sourcePrefix/)
    expect(optionFaults(wrong)).to.have.length(3)
  })
})

function smsWith(url: string) {
  return { default: { provider: 'http', url, token: 'token' } }
}

function limit(hits: number) {
  return { limit: hits, windowMs: 1000 }
}
