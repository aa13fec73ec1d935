import { expect } from 'chai'
import fc from 'fast-check'
import { describe, it } from 'mocha'
import { isNotificationId, notificationId } from '../../../src/outbox/notification.ts'
import { sourceIdOf } from '../../../src/intake/new-record.ts'

const of = (categoryId?: string, owner = 'bank') =>
  sourceIdOf('svc', {
    originator: 'app',
    owner,
    category: 'balance',
    ...(categoryId !== undefined && { categoryId }),
  })

describe('source_id (notifications.md 6)', () => {
  it('names prefix, originator, owner, category and sub-category', () => {
    expect(of('account-1')).to.equal('svc/app/bank/balance/account-1')
  })

  it('keeps the last slash without a sub-category', () => {
    expect(of()).to.equal('svc/app/bank/balance/')
    expect(of('')).to.equal('svc/app/bank/balance/')
  })

  it('encodes slashes, percent signs and control characters, and nothing else', () => {
    expect(of('b/c')).to.equal('svc/app/bank/balance/b%2Fc')
    expect(of('b%2Fc')).to.equal('svc/app/bank/balance/b%252Fc')
    expect(of('a\u0001é ü?#&=😀')).to.equal('svc/app/bank/balance/a%01é ü?#&=😀')
  })

  it('is another one for every other sub-category', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        expect(of(a) === of(b)).to.equal(a === b)
        expect(of(a).split('/')).to.have.length(5)
      }),
    )
  })
})

describe('ids of notifications (RFC 9562)', () => {
  it('are lower-case UUIDs of version 7 that begin with their time', () => {
    const now = Date.parse('2026-11-22T08:00:00.123Z')
    const id = notificationId(now)
    expect(isNotificationId(id)).to.equal(true)
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).to.equal(now)
  })

  it('are never the same', () => {
    const ids = Array.from({ length: 1000 }, () => notificationId(1))
    expect(new Set(ids).size).to.equal(1000)
  })

  it('are told from everything else', () => {
    const id = notificationId(Date.now())
    for (const other of ['', 'preferences', id.toUpperCase(), `${id} `, `{${id}}`, id.slice(1)]) {
      expect(isNotificationId(other), other).to.equal(false)
    }
    expect(isNotificationId('01a20245-0834-4752-8507-1002c8e7100d')).to.equal(false)
  })
})
