import { expect } from 'chai'
import { type FakeClock, fakeClock } from '@svc/testkit'
import type { DataPort } from '../../src/index.ts'
import { connected, resultOf } from '../support/mcp-server.ts'

const NOTES = 'io.svc.notes'
const MOST = 10_000

interface Pages {
  readonly port: DataPort
  /** Documents that were asked for. */
  looked: number
}

/** So many documents of one kind, the last of which is about tulips. */
function pagesOf(count: number, onPage: () => void): Pages {
  const pages: Pages = {
    looked: 0,
    port: {
      kinds: [NOTES],
      wordsOf: () => ({ name: 'Notes', read: 'r', add: 'a', change: 'c', delete: 'd' }),
      async list(_caller, kind, { limit, cursor = '0' }) {
        onPage()
        const start = Number(cursor)
        const end = Math.min(count, start + limit)
        pages.looked += end - start
        const documents = Array.from({ length: end - start }, (_, place) => {
          const id = String(start + place)
          const title = start + place === count - 1 ? 'tulips' : 'roses'
          return { kind, id, revision: '1', title, text: '' }
        })
        return { documents, ...(end < count && { cursor: String(end) }) }
      },
      get: async () => undefined,
      async create() {
        throw new Error('nothing is written here')
      },
    },
  }
  return pages
}

async function search(pages: Pages, clock: FakeClock) {
  const { server, token } = await connected(
    { clock, mcp: { data: pages.port, clock } },
    `${NOTES}:GET`,
  )
  const { structuredContent } = resultOf(await server.call(token, 'search', { query: 'tulips' }))
  return structuredContent as { complete: boolean; results: readonly object[] }
}

describe('a search', () => {
  const cases = [
    ['looks at 10 000 documents to the last', MOST, 0, { complete: true, found: 1, looked: MOST }],
    ['looks at no more, and says so', MOST + 1, 0, { complete: false, found: 0, looked: MOST }],
    ['ends after 500 ms, and says so', MOST, 100, { complete: false, found: 0, looked: 500 }],
  ] as const
  for (const [what, count, pageMs, expected] of cases) {
    it(what, async () => {
      const clock = fakeClock()
      clock.stop()
      const pages = pagesOf(count, () => clock.advance(pageMs))
      const { complete, results } = await search(pages, clock)
      expect({ complete, found: results.length, looked: pages.looked }).to.deep.equal(expected)
    })
  }
})
