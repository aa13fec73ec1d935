import type { AccessContext } from '@svc/oauth-core'
import { createSealer, type Instance, type InstanceId } from '@svc/platform'
import { parseExact } from '@svc/store'
import { expect } from 'chai'
import fc from 'fast-check'
import { describe, it } from 'mocha'
import { byAccess } from '../../../src/accounts/account-activity.ts'
import {
  credentialsOf,
  openValue,
  type SealedPlace,
  sealValue,
} from '../../../src/accounts/account-seal.ts'
import { publicAccount } from '../../../src/accounts/account-view.ts'
import type { AccountDocument, StoredOAuth } from '../../../src/accounts/account.ts'
import { withoutSealed } from '../../../src/accounts/sealed-fields.ts'
import { recordedLog } from '../../support/recorded-log.ts'
import { sampleInstance } from '../../support/sample-instance.ts'

const KEYS = [
  { kid: 'new', key: Buffer.alloc(32, 1) },
  { kid: 'old', key: Buffer.alloc(32, 2) },
]

describe('sealing values of accounts (7.3)', () => {
  const alice = sampleInstance()
  const bob = sampleInstance({ id: 'other' as InstanceId })
  const log = recordedLog()
  const sealWith = (keys = KEYS, namespace = 'io.svc') => {
    const services = { sealer: createSealer(keys), namespace, log }
    return {
      seal: (at: SealedPlace, plain: string) => sealValue(services, at, plain),
      open: (at: SealedPlace, sealed: string) => openValue(services, at, sealed),
      credentialsOf: (instance: Instance, account: AccountDocument) =>
        credentialsOf(services, instance, account),
    }
  }
  const seal = sealWith()
  const place = (field = 'oauth.access_token', accountId = 'a', instance: Instance = alice) => ({
    instance,
    accountId,
    field,
  })

  it('opens what was sealed, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (plain) => {
        expect(seal.open(place(), seal.seal(place(), plain))).to.equal(plain.toWellFormed())
      }),
    )
  })

  it('never gives the same text twice', () => {
    expect(seal.seal(place(), 'x')).to.not.equal(seal.seal(place(), 'x'))
  })

  it('does not open at another field, account, instance or namespace, and logs that', () => {
    const sealed = seal.seal(place(), 'x')
    const elsewhere = [
      place('oauth.refresh_token'),
      place('oauth.access_token', 'b'),
      place('oauth.access_token', 'a', bob),
    ]
    for (const other of elsewhere) expect(seal.open(other, sealed)).to.equal(undefined)
    expect(sealWith(KEYS, 'org.other').open(place(), sealed)).to.equal(undefined)
    expect(log.of('account.integrity_failed')).to.have.lengthOf(4)
    expect(log.of('account.integrity_failed')[0]).to.deep.equal({
      domain: 'alice.example.com',
      accountId: 'a',
      field: 'oauth.refresh_token',
    })
  })

  it('does not open once a character differs, or its key is gone', () => {
    const sealed = seal.seal(place(), 'a secret')
    for (let at = 0; at < sealed.length; at += 1) {
      const other = sealed[at] === 'A' ? 'B' : 'A'
      const changed = `${sealed.slice(0, at)}${other}${sealed.slice(at + 1)}`
      // The last character may hold bits that no byte has.
      const opened = seal.open(place(), changed)
      if (at < sealed.length - 1) expect(opened, String(at)).to.equal(undefined)
    }
    const old = sealWith(KEYS.slice(1))
    expect(old.open(place(), sealed)).to.equal(undefined)
  })

  it('never throws over an account, whatever the host put into it', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (oauth, results) => {
        const account = {
          _id: 'a',
          _rev: '1',
          account_type: 'bank',
          name: '',
          oauth,
          oauth_callback_results_encrypted: results,
        }
        // Not what the type says: that is the point.
        const { isIntact } = seal.credentialsOf(alice, account as unknown as AccountDocument)
        expect(isIntact).to.be.a('boolean')
      }),
    )
  })
})

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

describe('who the record of activity names', () => {
  it('is a client that renamed itself by both names (D103)', () => {
    const client = { id: 'c1', metadata: { client_name: 'Your Bank' }, formerName: 'Weather' }
    // The members that are read.
    const access = { client } as unknown as AccessContext
    expect(byAccess(access).actor).to.deep.equal({
      kind: 'client',
      id: 'c1',
      name: 'Your Bank',
      formerName: 'Weather',
    })
  })
})
