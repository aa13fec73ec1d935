import { createSealer, type Instance, type InstanceId } from '@svc/platform'
import { expect } from 'chai'
import fc from 'fast-check'
import { describe, it } from 'mocha'
import type { AccountDocument } from '../../../src/accounts/account.ts'
import {
  credentialsOf,
  openValue,
  type SealedPlace,
  sealValue,
} from '../../../src/accounts/account-seal.ts'
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
