import type { OAuth } from '@svc/oauth-core'
import { expect } from 'chai'
import webPush from 'web-push'
import { createNotify } from '../../src/index.ts'
import { NOTIFY_OPTIONS, type NotifyOptions } from '../../src/options.ts'

const channels = { mail: { transport: { send: async () => {} } } }
const SMS = { provider: 'http', url: 'https://sms.example', token: 'token' }
const P8 = { keyFile: 'k.p8', keyId: 'K', teamId: 'T', topic: 'org.example' }
const HUAWEI = { sendUrl: 'https://push.example/send', getTokenUrl: 'https://push.example/token' }
const KEYS = { ...webPush.generateVAPIDKeys(), subject: 'mailto:operator@example.com' }
const OTHER = webPush.generateVAPIDKeys()
const withSms = (given: object) => ({ channels: { ...channels, sms: { default: given } } })
const withMobile = (mobile: object) => ({ channels: { ...channels, mobile } })
const withKeys = (keys: object) => withMobile({ webpush: { ...KEYS, ...keys } })
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
  for (const [fault, options] of [
    ['options.channels.mail.transport', { channels: { mail: {} } }],
    ...(
      [
        ['provider', 'fax'],
        ['url', 'ftp://x/'],
        ['url', 'x'],
        ['token', ''],
        ['token', 'a\r\nX: y'],
        ['maxLength', 3],
        ['maxLength', 160.5],
        ['overflow', 'drop'],
        ['fields.content', { content: '' }],
      ] as const
    ).map(([name, value]) => {
      const given = { ...SMS, [name.split('.', 1)[0] ?? '']: value }
      return [`options.channels.sms.default.${name}`, withSms(given)] as const
    }),
    ['options.channels.mobile.fcm.endpoint', withMobile({ fcm: { endpoint: 'ftp://x' } })],
    ['options.channels.mobile.apns.host', withMobile({ apns: { ...P8, host: 'nowhere' } })],
    ['options.channels.mobile.huawei.sendUrl', withMobile({ huawei: { ...HUAWEI, sendUrl: 'x' } })],
    ...[{ publicKey: OTHER.publicKey }, { privateKey: 'AAAA' }, { publicKey: '!' }].map(
      (keys) => ['options.channels.mobile.webpush', withKeys(keys)] as const,
    ),
    ...[
      'operator@example.com',
      'http://example.com',
      'mailto:admin',
      'mailto:admin@localhost',
      'mailto:admin@push.localhost.',
      'mailto:admin@server',
      'mailto:a@b@example.com',
      'https://localhost',
      'https://server.local/',
      'https://10.0.0.1/',
      'https://[::1]/',
    ].map((subject) => ['options.channels.mobile.webpush.subject', withKeys({ subject })] as const),
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
    it(`name the fault of ${fault}: ${JSON.stringify(options).slice(-60)}`, () => {
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

  it('say what is missing beside what is there', () => {
    const mobile = {
      apns: { keyFile: 'k.p8', keyId: 'K' },
      huawei: { sendUrl: HUAWEI.sendUrl, clientId: 'a' },
    }
    expect(faultsOf(withOptions(withMobile(mobile)))).to.deep.equal([
      'options.channels.mobile.apns.teamId: is missing; a .p8 key needs it',
      'options.channels.mobile.apns.topic: is missing; a .p8 key needs it',
      'options.channels.mobile.huawei: must have either getTokenUrl, or clientId with clientSecret',
    ])
  })

  it('of pushes are fine when complete', () => {
    const { getTokenUrl: _, ...own } = HUAWEI
    for (const mobile of [
      {},
      { fcm: { credentialsFile: 'f.json', endpoint: 'http://127.0.0.1:1' } },
      { apns: P8 },
      { apns: { keyFile: 'k.p12' } },
      { huawei: HUAWEI },
      { huawei: { ...own, clientId: 'a', clientSecret: 'b' } },
      { webpush: KEYS },
      { webpush: { ...KEYS, subject: 'https://example.com/' } },
    ]) {
      expect(() => NOTIFY_OPTIONS.settle(withOptions(withMobile(mobile)))).to.not.throw()
    }
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
        sms: { defualt: SMS },
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

function limit(hits: number) {
  return { limit: hits, windowMs: 1000 }
}
