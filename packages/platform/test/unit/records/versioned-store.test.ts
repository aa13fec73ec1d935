import { hash } from 'node:crypto'
import { indexKey, type Json, recordKey, type Store } from '@svc/store'
import { anyStore } from '@svc/testkit'
import { expect } from 'chai'
import { versionedStore } from '../../../src/index.ts'
import { faultOf } from '../../support/fault-of.ts'
import { recordKind } from '../../support/record-kind.ts'

const key = recordKey('one', 'letter', 'a')
const index = indexKey('one', 'letters')

/** Version 1 had one name, version 2 two of them, version 3 a list. */
const LETTER = recordKind('letter', {
  version: 3,
  schema: { type: 'object' },
  migrate: [
    (value) => {
      const { name } = value as { readonly name: string }
      if (name === '') throw new RangeError('a name is empty')
      const [first = '', last = ''] = name.split(' ')
      return { first, last }
    },
    (value) => {
      const { first, last } = value as { readonly first: string; readonly last: string }
      return { names: [first, last] }
    },
  ],
  places: { by: 'index', index: 'letters' },
})

anyStore((open) => {
  describe('a store of records of several versions', () => {
    let raw: Store
    let store: Store
    let logged: [string, unknown][]

    beforeEach(async () => {
      raw = await open()
      logged = []
      store = versionedStore(raw, [LETTER], {
        error: (event: string, fields?: unknown) => void logged.push([event, fields]),
      })
    })

    const put = (value: Json) =>
      raw.write([{ op: 'put', key, value, indexes: [{ index, sort: '' }] }])

    it('brings a record forward, however it is read', async () => {
      const wanted = { v: 3, names: ['Ada', 'Byron'] }
      await put({ name: 'Ada Byron' })
      expect((await store.get(key))?.value).to.deep.equal(wanted)
      expect((await store.getMany([key]))[0]?.value).to.deep.equal(wanted)
      expect((await store.list(index)).records[0]?.value).to.deep.equal(wanted)
      await put({ v: 2, first: 'Ada', last: 'Byron' })
      expect((await store.take(key))?.value).to.deep.equal(wanted)
    })

    it('leaves what is stored as it is until the next write, which says the version', async () => {
      await put({ name: 'Ada Byron' })
      const read = await store.get(key)
      expect((await raw.get(key))?.value).to.deep.equal({ name: 'Ada Byron' })
      const ifRevision = read?.revision
      if (ifRevision === undefined) throw new Error('nothing was read')
      await store.write([{ op: 'put', key, value: { names: ['Ada', 'Lovelace'] }, ifRevision }])
      expect((await raw.get(key))?.value).to.deep.equal({ v: 3, names: ['Ada', 'Lovelace'] })
      expect((await store.get(key))?.value).to.deep.equal({ v: 3, names: ['Ada', 'Lovelace'] })
    })

    for (const [what, value] of [
      ['is newer than what is known', { v: 4, names: [] }],
      ['has no version that there could be', { v: 'three', names: [] }],
      ['does not migrate', { name: '' }],
    ] as const) {
      it(`fails for a value that ${what}, and logs its kind and the digest of its key`, async () => {
        await put(value)
        const reads: (() => Promise<unknown>)[] = [
          () => store.get(key),
          () => store.getMany([key]),
          () => store.list(index),
          () => store.take(key),
        ]
        for (const read of reads) {
          logged = []
          const fault = { code: 'record_malformed', status: 500, kind: 'letter' }
          expect(await faultOf(read())).to.include(fault)
          expect(logged).to.have.lengthOf(1)
          const [event, fields] = logged[0] ?? []
          expect(event).to.equal('record.malformed')
          const digest = hash('sha256', key, 'base64url')
          expect(fields).to.deep.include({ kind: 'letter', key: digest })
        }
      })
    }

    it('touches no other kinds', async () => {
      const other = recordKey('one', 'other', 'a')
      await store.write([{ op: 'put', key: other, value: { v: 7 } }])
      expect((await raw.get(other))?.value).to.deep.equal({ v: 7 })
      expect((await store.get(other))?.value).to.deep.equal({ v: 7 })
    })

    it('may stand on another one of the same kinds', async () => {
      const outer = versionedStore(store, [LETTER], { error: () => {} })
      await put({ name: 'Ada Byron' })
      expect((await outer.get(key))?.value).to.deep.equal({ v: 3, names: ['Ada', 'Byron'] })
    })

    it('is the store itself while every kind has version 1', () => {
      const { migrate: _, ...first } = { ...LETTER, version: 1 }
      expect(versionedStore(raw, [first], { error: () => {} })).to.equal(raw)
    })
  })
})
