import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { collapseOf, notIdOf } from '../../../src/channels/mobile/outgoing-push.ts'

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
