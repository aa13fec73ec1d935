import { randomBytes } from 'node:crypto'
import { type Json, recordKey, type StoredRecord } from '@svc/store'
import { expect } from 'chai'
import {
  createSealer,
  openMember,
  type SealContext,
  sealedMembers,
  sealMember,
  toFound,
  withTexts,
} from '../../../src/index.ts'
import { recordKind } from '../../support/record-kind.ts'

const OLD = { kid: 'k1', key: randomBytes(32) }
const NEW = { kid: 'k2', key: randomBytes(32) }
const sealer = createSealer([OLD])
const plainContext = (what: string): SealContext => ({ context: what })
const derivedContext = (what: string): SealContext => ({ salt: 'one', info: 'i', aad: what })

const SAFE = recordKind('safe', {
  sealed: [
    { path: ['keys', '*', 'sealed'], context: (_, [, at]) => plainContext(`key ${at}`) },
    {
      path: ['account', '**', '*_encrypted'],
      context: ({ tag }, path) =>
        path.includes('foreign') ? undefined : derivedContext(`${tag}|${path.slice(1).join('.')}`),
    },
    { path: ['check'], context: () => plainContext('check'), provesKey: true },
  ],
})

function recordOf(value: Json) {
  // A record as a store gives it.
  const record = { key: recordKey('one', 'safe', 's'), value, revision: 'r' } as StoredRecord
  return toFound(record)
}

const seal = (context: SealContext, text: string) => sealMember(sealer, context, Buffer.from(text))

describe('sealed values of a record', () => {
  const value: Json = {
    keys: [{ sealed: seal(plainContext('key 0'), 'first'), n: 1 }, { n: 2 }],
    account: {
      token_encrypted: seal(derivedContext('one|token_encrypted'), 'top'),
      auth: { deep: { pin_encrypted: seal(derivedContext('one|auth.deep.pin_encrypted'), 'pin') } },
      foreign: { x_encrypted: 'somebody else’s' },
      number_encrypted: 7,
    },
    check: seal(plainContext('check'), 'constant'),
  }

  it('are found at every place of the kind, each with what it was sealed for', () => {
    const members = sealedMembers(SAFE, recordOf(value))
    expect(members.map(({ path }) => path.join('.'))).to.deep.equal([
      'keys.0.sealed',
      'account.token_encrypted',
      'account.auth.deep.pin_encrypted',
      'check',
    ])
    const plain = members.map((member) => openMember(sealer, member).toString())
    expect(plain).to.deep.equal(['first', 'top', 'pin', 'constant'])
    expect(members.map(({ provesKey }) => provesKey)).to.deep.equal([false, false, false, true])
  })

  it('are sealed anew where they stand, and nothing else changes', () => {
    const both = createSealer([NEW, OLD])
    const members = sealedMembers(SAFE, recordOf(value))
    const texts = members.map((member) => ({
      path: member.path,
      text: sealMember(both, member.context, openMember(both, member)),
    }))
    const renewed = withTexts(value, texts)
    const after = sealedMembers(SAFE, recordOf(renewed))
    const only = createSealer([NEW])
    expect(after.map((member) => openMember(only, member).toString())).to.deep.equal([
      'first',
      'top',
      'pin',
      'constant',
    ])
    const hidden = (json: Json) =>
      withTexts(
        json,
        members.map(({ path }) => ({ path, text: '…' })),
      )
    expect(hidden(renewed)).to.deep.equal(hidden(value))
  })

  it('are the whole value where the place is the value itself', () => {
    const context = derivedContext('all')
    const kind = recordKind('safe', { sealed: [{ path: [], context: () => context }] })
    const [member, ...others] = sealedMembers(kind, recordOf(seal(context, 'whole')))
    expect(others).to.deep.equal([])
    if (member === undefined) throw new Error('nothing was found')
    expect(openMember(sealer, member).toString()).to.equal('whole')
    expect(withTexts('old', [{ path: [], text: 'new' }])).to.equal('new')
  })

  it('are found at any depth, but not in values that nest without end', () => {
    const sealed = [
      {
        path: ['**', '*_encrypted'],
        context: (_: unknown, path: readonly string[]) => plainContext(path.join('.')),
      },
    ]
    const contextsIn = (of: Json) =>
      sealedMembers(recordKind('safe', { sealed }), recordOf(of)).map(({ context }) => context)
    let bomb: Json = { deep_encrypted: 'x' }
    for (let depth = 0; depth < 20_000; depth += 1) bomb = { next: bomb }
    const found = contextsIn({ a_encrypted: 'x', b: [{ c: { d_encrypted: 'y' } }], bomb })
    expect(found).to.deep.equal(['a_encrypted', 'b.0.c.d_encrypted'].map(plainContext))
  })

  it('belong to a record whose key has all its parts', () => {
    const record = { key: 'x', value, revision: 'r' } as StoredRecord
    expect(() => toFound(record)).to.throw(TypeError)
  })
})
