import { cpuMs, scaledLimit } from '@svc/testkit'
import { expect } from 'chai'
import { toApnsPayload } from '../../../src/channels/mobile/apns/apns-message.ts'
import { toFcmRequest } from '../../../src/channels/mobile/fcm/fcm-message.ts'
import { toHuaweiBody } from '../../../src/channels/mobile/huawei/huawei-message.ts'
import type { OutgoingPush } from '../../../src/channels/mobile/push-gateway.ts'
import { toPlaintext } from '../../../src/channels/mobile/webpush/web-push-message.ts'
import { samplePush } from '../../support/sample-push.ts'

const FORMS: readonly (readonly [name: string, form: (push: OutgoingPush) => unknown])[] = [
  ['FCM', toFcmRequest],
  ['APNs', toApnsPayload],
  ['Huawei', toHuaweiBody],
  ['web push', toPlaintext],
]
/** Far more than is needed here, far less than what looks at every name for every name. */
const LIMIT_MS = 1000

describe('pushes with as many names in their data as a post may have (16.7)', () => {
  const names = Array.from({ length: 3600 }, (_, number) => `x${number.toString(36)}`)
  const data = { ...Object.fromEntries(names.map((name) => [name, 1])), redirectLink: 'bank/#/x' }
  const body = 'words '.repeat(1600)

  for (const [name, form] of FORMS) {
    it(`are cut in no time for ${name}, and keep what tells where to go`, async () => {
      let made: unknown
      const tookMs = await cpuMs(() => {
        made = form(samplePush({ data, body }))
      })
      expect(tookMs).to.be.below(scaledLimit(LIMIT_MS))
      expect(JSON.stringify(made)).to.include('bank/#/x')
    })
  }
})
