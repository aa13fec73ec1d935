import { defineOptions } from '@svc/platform/options'
import { expect } from 'chai'
import webPush from 'web-push'
import { mobileOptions } from '../../../src/channels/mobile/mobile-options.ts'

const P8 = { keyFile: 'k.p8', keyId: 'K', teamId: 'T', topic: 'org.example' }
const SEND = { sendUrl: 'https://push.example/send' }
const KEYS = webPush.generateVAPIDKeys()
const DEFINITION = defineOptions({ mobile: mobileOptions() })

function faultsOf(mobile: object): string[] {
  try {
    DEFINITION.settle({ mobile })
  } catch (error) {
    if (error instanceof TypeError) return error.message.split('\n')
    throw error
  }
  return []
}

describe('options of pushes', () => {
  it('are fine when complete', () => {
    const fine = [
      {},
      { fcm: { credentialsFile: 'f.json', endpoint: 'http://127.0.0.1:1' } },
      { apns: P8 },
      { apns: { keyFile: 'k.p12' } },
      { huawei: { ...SEND, getTokenUrl: 'https://push.example/token' } },
      { huawei: { ...SEND, clientId: 'a', clientSecret: 'b' } },
      { webpush: { ...KEYS, subject: 'mailto:a@b.example' } },
    ]
    for (const mobile of fine) expect(faultsOf(mobile)).to.deep.equal([])
  })

  it('are told with every fault and its path', () => {
    const faults = faultsOf({
      fcm: { endpoint: 'ftp://x' },
      apns: { keyFile: 'k.p8', keyId: 'K', host: 'nowhere' },
      huawei: { sendUrl: 'x', clientId: 'a' },
      webpush: { ...KEYS, subject: 'me' },
    })
    expect(faults).to.deep.equal([
      'options.mobile.fcm.endpoint: must be an http(s) URL',
      'options.mobile.apns.host: must be an http(s) URL',
      'options.mobile.huawei.sendUrl: must be an http(s) URL',
      'options.mobile.webpush.subject: must be a mailto: or https: URL with a public host',
    ])
  })

  it('say what is missing beside what is there', () => {
    const faults = faultsOf({
      apns: { keyFile: 'k.p8', keyId: 'K' },
      huawei: { ...SEND, clientId: 'a' },
    })
    expect(faults).to.deep.equal([
      'options.mobile.apns.teamId: is missing; a .p8 key needs it',
      'options.mobile.apns.topic: is missing; a .p8 key needs it',
      'options.mobile.huawei: must have either getTokenUrl, or clientId with clientSecret',
    ])
  })
})
