import { faultyStore } from '../support/faulty-store.ts'
import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import { connected, mcpServer, resultOf } from '../support/mcp-server.ts'

const NOTES = 'io.svc.notes'
const NOTE = { kind: NOTES, fields: { title: 'New', text: 'Text' }, key: 'k' }

eachStore((open) => {
  describe('entries of calls', () => {
    it('are there once the answer is, without content or words', async () => {
      const store = await open()
      const server = await mcpServer({ store })
      await server.documents.add(server.instance, NOTES, 'one', 'Garden', 'Buy tulips')
      const token = await server.connect(`${NOTES}:GET ${NOTES}:POST`)
      await server.call(token, 'list_kinds')
      await server.call(token, 'search', { query: 'tulips' })
      await server.call(token, 'fetch', { id: `${NOTES}/one` })
      await server.call(token, 'fetch', { id: `${NOTES}/two` })
      const made = resultOf(await server.call(token, 'create', NOTE)).structuredContent
      const entries = await server.entries()
      expect(
        entries.map(({ tool, type, documents, outcome, writes }) => [
          tool,
          type,
          documents,
          outcome,
          writes,
        ]),
      ).to.deep.equal([
        ['list_kinds', undefined, 0, 'ok', undefined],
        ['search', undefined, 1, 'ok', undefined],
        ['fetch', NOTES, 1, 'ok', undefined],
        ['fetch', NOTES, 0, 'not_found', undefined],
        ['create', NOTES, 1, 'ok', [made]],
      ])
      expect(JSON.stringify(entries)).not.to.match(/tulips|Garden|Text/)
      expect(server.logged.join('\n')).not.to.match(/tulips|Garden|Text/)
    })

    it('are one for each write, however often the call is repeated at once', async () => {
      const store = await open()
      const { server, token } = await connected({ store }, `${NOTES}:POST`)
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => server.call(token, 'create', NOTE)),
      )
      const made = answers.map((answer) => resultOf(answer))
      const stored = await server.documents.all(server.instance, NOTES)
      expect(stored).to.have.lengthOf(1)
      const entries = await server.entries()
      expect(made.filter(({ isError }) => isError)).to.deep.equal([])
      expect(entries.map(({ outcome }) => outcome)).to.deep.equal(Array(8).fill('ok'))
      expect(entries.filter(({ writes }) => writes !== undefined)).to.have.lengthOf(1)
      expect(new Set(made.map(({ structuredContent }) => structuredContent['id'])).size).to.equal(1)
    })
  })
})

describe('a call whose entry cannot be written', () => {
  for (const [tool, given] of [
    ['fetch', { id: `${NOTES}/one` }],
    ['create', NOTE],
    ['update', { id: `${NOTES}/one`, fields: { text: 'Other' } }],
    ['delete', { id: `${NOTES}/one` }],
  ] as const) {
    it(`is 503 and has no effect: ${tool}`, async () => {
      const faulty = faultyStore()
      const server = await mcpServer({ store: faulty.store, mayCrash: true })
      await server.documents.add(server.instance, NOTES, 'one', 'Garden', 'Buy tulips')
      const rules = ['GET', 'POST', 'PUT', 'DELETE'].map((verb) => `${NOTES}:${verb}`)
      const token = await server.connect(rules.join(' '))
      const [note] = await server.documents.all(server.instance, NOTES)
      const revision = 'id' in given && tool !== 'fetch' ? { revision: note?.revision } : {}
      faulty.refuse('assistant-call')
      const answer = await server.call(token, tool, { ...given, ...revision })
      expect(answer.status, answer.text).to.equal(503)
      expect(answer.headers['retry-after']).to.match(/^\d+$/)
      expect(answer.text).not.to.include('tulips')
      faulty.refuse(undefined)
      const stored = await server.documents.all(server.instance, NOTES)
      expect(stored).to.deep.equal([note])
      expect(await server.entries()).to.deep.equal([])
    })
  }
})
