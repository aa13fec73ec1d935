import { expect } from 'chai'
import webPush from 'web-push'
import { mobileFaults } from '../../../src/channels/mobile/mobile-faults.ts'

const P8 = { keyFile: 'k.p8', keyId: 'K', teamId: 'T', topic: 'org.example' }
const SEND = { sendUrl: 'https://push.example/send' }
const KEYS = webPush.generateVAPIDKeys()

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
    for (const options of fine) expect(mobileFaults(options)).to.deep.equal([])
  })

  it('are told with every fault and its path', () => {
    const faults = mobileFaults({
      fcm: { endpoint: 'ftp://x' },
      apns: { keyFile: 'k.p8', keyId: 'K', host: 'nowhere' },
      huawei: { sendUrl: 'x', clientId: 'a' },
      webpush: { ...KEYS, subject: 'me' },
    })
    expect(faults).to.deep.equal([
      'options.channels.mobile.fcm.endpoint: is no http(s) URL',
      'options.channels.mobile.apns.teamId: is needed with a .p8 key',
      'options.channels.mobile.apns.topic: is needed with a .p8 key',
      'options.channels.mobile.apns.host: is no http(s) URL',
      'options.channels.mobile.huawei.sendUrl: is no http(s) URL',
      'options.channels.mobile.huawei: needs either getTokenUrl or clientId with clientSecret',
      'options.channels.mobile.webpush.subject: is neither mailto: nor https:',
    ])
  })
})
