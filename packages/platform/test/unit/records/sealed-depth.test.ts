import { recordKey, type Json, type Revision } from '@svc/store'
import { expect } from 'chai'
import { toFound } from '../../../src/records/find-records.ts'
import type { RecordKind } from '../../../src/records/record-kind.ts'
import { sealedMembers } from '../../../src/records/sealed-values.ts'

const KIND: RecordKind = {
  kind: 'sample',
  version: 1,
  schema: {},
  tags: 'instance',
  places: { by: 'ids', ids: ['one'] },
  sealed: [{ path: ['**', '*_encrypted'], context: (_, path) => ({ context: path.join('.') }) }],
  life: 'for good',
  export: 'yes',
  content: 'a sample',
}

function contextsIn(value: Json): unknown[] {
  const key = recordKey('alice', KIND.kind, 'one')
  const found = toFound({ key, value, revision: 'r' as Revision })
  return sealedMembers(KIND, found).map(({ context }) => context)
}

describe('sealedMembers', () => {
  it('finds members at any depth that somebody seals at', () => {
    expect(contextsIn({ a_encrypted: 'x', b: [{ c: { d_encrypted: 'y' } }] })).to.deep.equal([
      { context: 'a_encrypted' },
      { context: 'b.0.c.d_encrypted' },
    ])
  })

  it('does not follow values that nest without end', () => {
    let bomb: Json = { deep_encrypted: 'x' }
    for (let depth = 0; depth < 20_000; depth += 1) bomb = { next: bomb }
    expect(contextsIn({ bomb, a_encrypted: 'x' })).to.deep.equal([{ context: 'a_encrypted' }])
  })
})
