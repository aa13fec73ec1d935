import { expect } from 'chai'
import { type RecordKind, RecordRegistry } from '../../../src/index.ts'
import { recordKind } from '../../support/record-kind.ts'

const BOOK = recordKind('book', { places: { by: 'index', index: 'books' } })
const NO = { no: 'It is short-lived.' } as const

function names(kinds: readonly RecordKind[]): readonly string[] {
  return kinds.map(({ kind }) => kind)
}

describe('the registry of records', () => {
  it('gives kinds by name, and a kind after the one it is found by', () => {
    const registry = new RecordRegistry()
    const page = recordKind('a-page', {
      places: { by: 'index-of', parent: 'book', index: ({ id }) => `pages:${id}` },
    })
    const shelf = recordKind('shelf', { tags: ['shelves', 'host'], export: NO })
    registry.declare([page])
    registry.declare([BOOK, shelf])
    expect(names(registry.all())).to.deep.equal(['a-page', 'book', 'shelf'])
    expect(names(registry.ofInstances())).to.deep.equal(['book', 'a-page'])
    expect(names(registry.ofTag('host'))).to.deep.equal(['shelf'])
    expect(registry.sharedTags()).to.deep.equal(['host', 'shelves'])
    expect(registry.get('book')).to.equal(BOOK)
    expect(registry.get('cup')).to.equal(undefined)
  })

  it('takes the same declaration again, and refuses another one of the name', () => {
    const registry = new RecordRegistry()
    registry.declare([BOOK])
    registry.declare([BOOK])
    expect(() => registry.declare([{ ...BOOK }])).to.throw(TypeError, 'declared twice')
  })

  const faults: readonly (readonly [string, Partial<RecordKind>])[] = [
    ['a malformed name', { kind: 'Book' }],
    ['a version that is none', { version: 0 }],
    ['a version without its migrations', { version: 2 }],
    ['an export of what nobody finds', { places: { by: 'nobody' } }],
    ['an export of what is no instance’s', { tags: ['host'] }],
    ['a counter that is found', { isCounter: true }],
  ]
  for (const [what, fault] of faults) {
    it(`refuses ${what}`, () => {
      expect(() => new RecordRegistry().declare([{ ...BOOK, ...fault }])).to.throw(TypeError)
    })
  }
})
