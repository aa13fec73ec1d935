import { createHash } from 'node:crypto'
import { parseExact } from '@svc/store'
import { cpuMs, scaledLimit } from '@svc/testkit'
import { expect } from 'chai'
import fc from 'fast-check'
import { toApnsPayload } from '../../../src/channels/mobile/apns/apns-message.ts'
import { toFcmRequest } from '../../../src/channels/mobile/fcm/fcm-message.ts'
import { toHuaweiBody } from '../../../src/channels/mobile/huawei/huawei-message.ts'
import { collapseOf, notIdOf } from '../../../src/channels/mobile/outgoing-push.ts'
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

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')
const flags = { collapsible: true, stateful: false, multiple: false, sensitive: false }
const record = { id: 'id-1', sourceId: 'svc/app/bank/balance/é', flags }

// notifications.md 8, D39
describe('what collapses pushes', () => {
  it('is the source of a collapsible category', () => {
    const first = collapseOf(record)
    expect(first.collapseHash).to.equal(md5('svc/app/bank/balance/é'))
    expect(first.isCollapsible).to.equal(true)
    expect(collapseOf({ ...record, id: 'id-2' })).to.deep.equal(first)
  })

  it('is the notification itself otherwise', () => {
    const plain = { ...record, flags: { ...flags, collapsible: false } }
    expect(collapseOf(plain).collapseHash).to.equal(md5('svc/app/bank/balance/éid-1'))
    expect(collapseOf(plain).isCollapsible).to.equal(false)
    expect(collapseOf({ ...plain, id: 'id-2' }).notId).not.to.equal(collapseOf(plain).notId)
  })

  it('gives a number that is never negative', () => {
    const cases: [string, number][] = [
      ['00000001', 1],
      ['7fffffff', 2_147_483_647],
      ['ffffffff', 1],
      ['80000001', 2_147_483_647],
      ['80000000', 2_147_483_647],
    ]
    for (const [hex, expected] of cases) {
      expect(notIdOf(Buffer.from(`${hex}00`, 'hex')), hex).to.equal(expected)
    }
    expect(collapseOf(record).notId).to.equal(
      Math.abs(Buffer.from(md5(record.sourceId), 'hex').readInt32BE()),
    )
  })
})
