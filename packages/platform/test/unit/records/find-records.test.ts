import { type Change, indexKey, recordKey, type Store } from '@svc/store'
import { anyStore } from '@svc/testkit'
import { expect } from 'chai'
import { findRecords, type RecordKind, RecordRegistry } from '../../../src/index.ts'
import { recordKind } from '../../support/record-kind.ts'

const NO = { no: 'It is the host’s.' } as const

const KINDS: readonly RecordKind[] = [
  recordKind('rules', { places: { by: 'ids', ids: ['house', 'fire'] } }),
  recordKind('book', { places: { by: 'index', index: 'books' } }),
  recordKind('loan', { places: { by: 'indexes', indexes: ['lent', 'back'] } }),
  recordKind('page', {
    places: { by: 'index-of', parent: 'book', index: ({ id }) => `pages:${id}` },
  }),
  recordKind('cover', {
    places: { by: 'ids-of', parent: 'book', ids: ({ id, value }) => [`${id}-${String(value)}`] },
  }),
  recordKind('ticket', { places: { by: 'nobody' }, export: NO }),
  recordKind('shelf', { tags: ['host'], export: NO }),
]

function put(tag: string, kind: string, id: string, ...names: readonly string[]): Change {
  const indexes = names.map((name) => ({ index: indexKey(tag, name), sort: '' }))
  return { op: 'put', key: recordKey(tag, kind, id), value: id, indexes }
}

anyStore((open) => {
  describe('records that the registry finds', () => {
    let store: Store
    const registry = new RecordRegistry()
    registry.declare(KINDS)

    beforeEach(async () => {
      store = await open()
    })

    async function found(
      tag: string,
      wanted?: (kind: RecordKind) => boolean,
    ): Promise<readonly string[]> {
      const keys: string[] = []
      for await (const record of findRecords(registry, store, tag, wanted)) {
        expect(record.key).to.equal(`{${record.tag}}:${record.kind}:${record.id}`)
        keys.push(`${record.kind} ${record.id}`)
      }
      return keys.toSorted()
    }

    it('are those of the instance: by ids, by indexes, and by other records', async () => {
      await store.write([
        put('one', 'rules', 'house'),
        put('one', 'book', 'a', 'books'),
        put('one', 'book', 'b', 'books'),
        put('one', 'loan', 'now', 'lent'),
        put('one', 'loan', 'then', 'back'),
        put('one', 'page', 'a-1', 'pages:a'),
        put('one', 'page', 'b-1', 'pages:b'),
        put('one', 'cover', 'a-a'),
        put('one', 'ticket', 'x'),
        // Another kind in the same index.
        put('one', 'leaflet', 'y', 'books'),
      ])
      await store.write([put('two', 'book', 'c', 'books')])
      await store.write([put('host', 'shelf', 'one')])
      expect(await found('one')).to.deep.equal([
        'book a',
        'book b',
        'cover a-a',
        'loan now',
        'loan then',
        'page a-1',
        'page b-1',
        'rules house',
      ])
      expect(await found('two')).to.deep.equal(['book c'])
      expect(await found('host')).to.deep.equal(['shelf one'])
      expect(await found('one', ({ kind }) => kind === 'page')).to.deep.equal([
        'page a-1',
        'page b-1',
      ])
    })

    it('are all of them, over many pages', async () => {
      for (let n = 0; n < 250; n += 50) {
        const ids = Array.from({ length: 50 }, (_, at) => `n${n + at}`)
        await store.write(ids.map((id) => put('one', 'book', id, 'books')))
        await store.write(ids.map((id) => put('one', 'cover', `${id}-${id}`)))
      }
      expect(await found('one')).to.have.lengthOf(500)
    })
  })
})
