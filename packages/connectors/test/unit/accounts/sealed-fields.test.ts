import { parseExact } from '@svc/store'
import { expect } from 'chai'
import { describe, it } from 'mocha'
import { publicAccount } from '../../../src/accounts/account-view.ts'
import type { StoredOAuth } from '../../../src/accounts/account.ts'
import { withoutSealed } from '../../../src/accounts/sealed-fields.ts'

const DOCUMENT = {
  _id: 'a',
  oauth: { access_token_encrypted: 's1', status: 'connected' },
  results_encrypted: 's2',
  list: [{ secret_encrypted: 's3', kept: 1 }, [{ other_encrypted: 's4' }], null],
  data: { auth: { dob_encrypted: 's5' } },
}

function nested(depth: number): Record<string, unknown> {
  let inner: Record<string, unknown> = { x_encrypted: 'deep', y: 1 }
  for (let i = 0; i < depth; i += 1) inner = { next: inner }
  return inner
}

describe('sealed members of documents', () => {
  it('stays out of copies that keep the digits of long integers (D97)', () => {
    const account = parseExact('{"a_encrypted":"s","data":{"id":17841405822304915}}') as object
    expect(JSON.stringify(withoutSealed({ ...account }))).to.equal(
      '{"data":{"id":17841405822304915}}',
    )
  })

  it('are left out at any depth, inside of lists too', () => {
    expect(withoutSealed(DOCUMENT)).to.deep.equal({
      _id: 'a',
      oauth: { status: 'connected' },
      list: [{ kept: 1 }, [{}], null],
      data: { auth: {} },
    })
  })

  it('of documents that nest without end are not shown, and nothing breaks', () => {
    const bomb = nested(20_000)
    expect(JSON.stringify(withoutSealed(bomb))).to.not.include('deep')
  })

  it('called like parts of every object are members like others', () => {
    const document = JSON.parse('{"__proto__":{"a_encrypted":"s","b":1},"constructor":2}') as object
    expect(JSON.stringify(withoutSealed({ ...document, ...own(document) }))).to.equal(
      '{"__proto__":{"b":1},"constructor":2}',
    )
  })
})

/** Members that a spread would take for the prototype. */
function own(document: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(document))
}

describe('what subscribers see of an account (7.2)', () => {
  const account = { _id: 'a', _rev: '1', account_type: 'bank', name: 'B' }

  it('is nothing of oauth but what is known to be harmless', () => {
    const oauth = {
      status: 'connected',
      refresh_seq: 1,
      scope: 's',
      subject: 'u',
      access_token: 'clear',
      refresh_token_encrypted: 'x',
      query: { code: ['clear'] },
      client_id: 'c',
      client_secret: 'clear',
      later_invention: 'clear',
    }
    expect(publicAccount({ ...account, oauth: oauth as StoredOAuth })).to.deep.equal({
      ...account,
      oauth: { status: 'connected', refresh_seq: 1, scope: 's', subject: 'u' },
    })
  })

  it('survives members that are not what they should be', () => {
    for (const odd of [null, 'text', 7, [1]]) {
      const broken = { ...account, oauth: odd, auth: odd, data: odd }
      // Not what the type says: that is the point.
      expect(publicAccount(broken as never)).to.include({ name: 'B' })
    }
  })
})
