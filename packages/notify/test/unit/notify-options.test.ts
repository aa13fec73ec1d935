import type { OAuth } from '@svc/oauth-core'
import { expect } from 'chai'
import { DEFAULT_LIFETIMES } from '../../src/lifetimes.ts'
import { DEFAULT_LIMITS } from '../../src/limits.ts'
import { createNotify } from '../../src/index.ts'
import { NOTIFY_OPTIONS, type NotifyOptions } from '../../src/options.ts'

const channels = { mail: { transport: { send: async () => {} } } }
const nothing = (): void => {}
// Nothing of it is used here but its log.
const oauth = {
  log: { info: nothing, warn: nothing, error: nothing },
  mount: nothing,
  authenticate: nothing,
  clientAddress: nothing,
} as unknown as OAuth

function withOptions(options: object): NotifyOptions {
  // What a program without types may give.
  return { oauth, channels, ...options } as NotifyOptions
}

function faultsOf(options: unknown): string[] {
  try {
    // Faults are told before anything is made of the options.
    createNotify(options as NotifyOptions)
  } catch (error) {
    if (error instanceof TypeError) return error.message.split('\n')
    throw error
  }
  return []
}

describe('options of notifications', () => {
  it('have defaults for all but the core and the way of mails', () => {
    const { lifetimes, limits, ...rest } = NOTIFY_OPTIONS.settle({ oauth, channels })
    expect(lifetimes).to.deep.equal(DEFAULT_LIFETIMES)
    expect(limits).to.deep.equal(DEFAULT_LIMITS)
    expect(rest).to.deep.include({
      settingsSlug: 'settings',
      sourcePrefix: 'svc',
      maxUnfinished: 200,
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
      expect(faultsOf(withOptions(options)).map((text) => text.split(':')[0])).to.deep.equal([
        fault,
      ])
    })
  }

  it('name all faults at once', () => {
    const wrong = withOptions({ maxUnfinished: 0, sourcePrefix: '', concurrency: { total: 0 } })
    expect(faultsOf(wrong)).to.deep.equal([
      'options.sourcePrefix: must be 1 to 64 letters, digits, dots, hyphens and underscores',
      'options.maxUnfinished: must be a whole number from 1 to 1000000',
      'options.concurrency.total: must be a whole number from 1 to 1000',
    ])
  })

  it('are refused without channels, and without anything', () => {
    const transport = 'options.channels.mail.transport: is missing; must be an object with send'
    expect(faultsOf({ oauth })).to.deep.equal([transport])
    expect(faultsOf({ oauth, channels: {} })).to.deep.equal([transport])
    for (const given of [undefined, {}]) {
      expect(faultsOf(given)).to.deep.equal([
        'options.oauth: is missing; must be an object with mount, authenticate, clientAddress',
        transport,
      ])
    }
  })

  it('are refused when a name is misspelt, at any depth', () => {
    const { mail } = channels
    const wrong = withOptions({
      channels: {
        mail: { ...mail, replyto: 'a@b.example', contexts: { beta: { noreplyAdress: 'a@b.c' } } },
        mobile: { fcm: { credentialFile: 'f.json' }, gatway: {} },
        sms: { defualt: smsWith('https://sms.example').default },
      },
      apps: { konector: nothing },
    })
    expect(faultsOf(wrong)).to.deep.equal([
      'options.channels.mail.replyto: unknown, did you mean replyTo?',
      'options.channels.mail.contexts.beta.noreplyAdress: unknown, did you mean noreplyAddress?',
      'options.channels.mobile.gatway: unknown, did you mean gateway?',
      'options.channels.mobile.fcm.credentialFile: unknown, did you mean credentialsFile?',
      'options.channels.sms.defualt: unknown, did you mean default?',
      'options.apps.konector: unknown, did you mean konnector?',
    ])
  })
})

function smsWith(url: string) {
  return { default: { provider: 'http', url, token: 'token' } }
}

function limit(hits: number) {
  return { limit: hits, windowMs: 1000 }
}
