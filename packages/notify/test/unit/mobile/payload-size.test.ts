import { expect } from 'chai'
import fc from 'fast-check'
import { parseExact } from '@svc/store'
import { toApnsPayload } from '../../../src/channels/mobile/apns/apns-message.ts'
import { toFcmRequest } from '../../../src/channels/mobile/fcm/fcm-message.ts'
import { toHuaweiBody } from '../../../src/channels/mobile/huawei/huawei-message.ts'
import { byteLength, fitPayload } from '../../../src/channels/mobile/payload-size.ts'
import type { OutgoingPush } from '../../../src/channels/mobile/push-gateway.ts'
import { toPlaintext } from '../../../src/channels/mobile/webpush/web-push-message.ts'
import { samplePush } from '../../support/sample-push.ts'

type Data = Record<string, string>

// notifications.md 16.7
describe('the size of a payload', () => {
  const fit = (body: string, data: Data, maxBytes: number) =>
    fitPayload({ body, data }, maxBytes, byteLength)

  it('is that of integers beyond 2^53 as they are sent, by every provider (D97)', () => {
    const data = parseExact('{"user_id":17841405822304915}') as OutgoingPush['data']
    const push = samplePush({ data })
    for (const payload of [toApnsPayload(push), toHuaweiBody(push), toPlaintext(push)]) {
      expect(payload).to.match(/user_id\\?":17841405822304915/)
    }
    expect(toFcmRequest(push)?.message.data['user_id']).to.equal('17841405822304915')
  })

  it('stays as it is within the limit', () => {
    const push = { body: 'x'.repeat(10), data: { a: 'b' } }
    expect(fitPayload(push, byteLength(push), byteLength)).to.equal(push)
  })

  it('is met by cutting the body first, as little as possible', () => {
    const data = { a: 'x'.repeat(20) }
    const full = byteLength({ body: '', data })
    const fitting = fit('abcdefghij', data, full + 6)
    expect(fitting).to.deep.equal({ body: 'abc…', data })
  })

  it('never cuts a character in two', () => {
    const empty = byteLength({ body: '', data: {} })
    for (let room = 3; room < 11; room += 1) {
      expect(fit('😀😀😀', {}, empty + room)?.body).to.equal(
        `${'😀'.repeat(Math.floor((room - 3) / 4))}…`,
      )
    }
  })

  it('is met by dropping the largest data then, and gives the body its room', () => {
    const data = { small: 'x', large: 'x'.repeat(50), larger: 'x'.repeat(60) }
    const { larger: _, ...rest } = data
    const max = byteLength({ body: 'abc…', data: rest })
    expect(fit('abcdefghij', data, max)).to.deep.equal({ body: 'abc…', data: rest })
  })

  it('never drops what tells what to open', () => {
    const data = { appName: 'x'.repeat(50), redirectLink: 'y'.repeat(50), other: 'z' }
    const { other: _, ...kept } = data
    const max = byteLength({ body: '', data: kept })
    expect(fit('', data, max)).to.deep.equal({ body: '', data: kept })
    expect(fit('', data, max - 1)).to.equal(undefined)
  })

  it('is always met, or said not to be', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.dictionary(fc.string(), fc.string({ unit: 'grapheme', maxLength: 100 })),
        fc.nat(500),
        (body, data, maxBytes) => {
          const fitting = fit(body, data, maxBytes)
          if (fitting === undefined) {
            const least = Math.min(
              byteLength({ body: '…', data: {} }),
              byteLength({ body, data: {} }),
            )
            const kept = Object.keys(data).some((name) => /^(appName|redirectLink)$/.test(name))
            expect(kept || least > maxBytes).to.equal(true)
            return
          }
          expect(byteLength(fitting)).to.be.at.most(maxBytes)
          expect(fitting.body === body || body.startsWith(fitting.body.slice(0, -1))).to.equal(true)
          expect(fitting.body.isWellFormed()).to.equal(
            body.isWellFormed() || fitting.body.isWellFormed(),
          )
        },
      ),
    )
  })
})
