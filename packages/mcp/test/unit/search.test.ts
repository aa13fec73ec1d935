import type { Instance } from '@svc/platform'
import { expect } from 'chai'
import type { DataDocument, DataPort } from '../../src/data/data-port.ts'
import { searchTool } from '../../src/data/search-tool.ts'
import type { ToolContext } from '../../src/tools/tool.ts'

const NOTES = 'io.svc.notes'
const LONG = 'words that match nothing '.repeat(20_000)

/** A page of long documents: an owner may have any. */
function longDocuments(): DataPort {
  const documents = Array.from(
    { length: 60 },
    (_, n): DataDocument => ({
      kind: NOTES,
      id: `n${n}`,
      revision: '1',
      title: 'Long',
      text: LONG,
    }),
  )
  const never = (): never => {
    throw new Error('not asked for')
  }
  const list = async () => ({ documents })
  return { kinds: [NOTES], list, wordsOf: never, get: never, create: never }
}

function context(): ToolContext {
  const instance = { id: 'i', origin: 'https://alice.example.com' } as unknown as Instance
  const access = { permissions: [{ type: NOTES, verbs: ['GET'] }] }
  const signal = new AbortController().signal
  return { instance, access, signal, note() {} } as unknown as ToolContext
}

const search = (clock: { now(): number }) =>
  searchTool({ data: longDocuments(), kinds: [NOTES], writes: false, clock }).run(
    { query: 'tulips' },
    context(),
  )

describe('a search through long documents', () => {
  it('lets other requests have their turns', async () => {
    let turns = 0
    let next: NodeJS.Immediate
    const count = (): void => {
      turns += 1
      next = setImmediate(count)
    }
    next = setImmediate(count)
    const found = await search({ now: () => 0 })
    clearImmediate(next)
    expect(found).to.deep.include({ complete: true, results: [] })
    expect(turns).to.be.greaterThan(2)
  })

  it('stops in the middle of a page when its time is over', async () => {
    let now = 0
    const found = await search({ now: () => (now += 60) })
    expect(found).to.deep.include({ complete: false, results: [] })
  })
})
