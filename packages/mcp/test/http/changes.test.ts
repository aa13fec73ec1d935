import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import type { DataPort } from '../../src/index.ts'
import {
  type Answer,
  connected,
  type McpServer,
  mcpServer,
  modern,
  resultOf,
} from '../support/mcp-server.ts'

const NOTES = 'io.svc.notes'
const ID = `${NOTES}/one`
const LIST = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }
const rules = (...verbs: readonly string[]): string =>
  verbs.map((verb) => `${NOTES}:${verb}`).join(' ')

async function noted(server: McpServer): Promise<string> {
  await server.documents.add(server.instance, NOTES, 'one', 'Garden', 'Buy tulips')
  const [note] = await server.documents.all(server.instance, NOTES)
  return note?.revision ?? ''
}

eachStore((open) => {
  describe('tools that change and delete', () => {
    it('do it at the revision that fetch gave, with an entry of what they replaced', async () => {
      const server = await mcpServer({ store: await open() })
      const first = await noted(server)
      const token = await server.connect(rules('GET', 'PUT', 'DELETE'))
      const change = { id: ID, revision: first, fields: { text: 'Buy roses' } }
      const changed = resultOf(await server.call(token, 'update', change)).structuredContent
      const fetched = resultOf(await server.call(token, 'fetch', { id: ID })).structuredContent
      expect(fetched).to.include({ title: 'Garden', text: 'Buy roses' })
      expect(fetched).to.have.nested.property('metadata.revision', changed['revision'])
      for (const tool of ['update', 'delete'] as const) {
        const { fields, ...seen } = change
        const given = tool === 'update' ? { ...seen, fields } : seen
        expect(resultOf(await server.call(token, tool, given)).error.code).to.equal('conflict')
      }
      const last = { id: ID, revision: changed['revision'] }
      expect(resultOf(await server.call(token, 'delete', last)).structuredContent).to.deep.equal({})
      expect(await server.documents.all(server.instance, NOTES)).to.deep.equal([])
      const gone = resultOf(await server.call(token, 'update', change))
      expect(gone.error.code).to.equal('not_found')
      const entries = (await server.entries()).filter(({ tool }) => tool !== 'fetch')
      expect(
        entries.map(({ tool, type, outcome, documents, bytes }) => [
          tool,
          type,
          outcome,
          documents,
          bytes,
        ]),
      ).to.deep.equal([
        ['update', NOTES, 'ok', 1, Buffer.byteLength('{"text":"Buy roses"}')],
        ['update', NOTES, 'conflict', 0, 0],
        ['delete', NOTES, 'conflict', 0, 0],
        ['delete', NOTES, 'ok', 1, 0],
        ['update', NOTES, 'not_found', 0, 0],
      ])
      const [{ writes = [] } = {}, , , { writes: ended = [] } = {}] = entries
      expect(writes).to.deep.equal([{ id: ID, revision: changed['revision'], before: first }])
      expect(ended.map(({ before }) => before)).to.deep.equal([changed['revision']])
      expect(JSON.stringify(entries)).not.to.match(/tulips|roses|Garden/)
    })

    it('do it once, of those that come at the same revision at once', async () => {
      const server = await mcpServer({ store: await open() })
      const revision = await noted(server)
      const token = await server.connect(rules('PUT'))
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          server.call(token, 'update', { id: ID, revision, fields: { text: `Text ${n}` } }),
        ),
      )
      const codes = answers.map((answer) => resultOf(answer).error.code ?? 'ok').toSorted()
      expect(codes).to.deep.equal([...Array<string>(7).fill('conflict'), 'ok'])
      const entries = await server.entries()
      expect(entries.filter(({ writes }) => writes !== undefined)).to.have.lengthOf(1)
    })
  })
})

describe('the tools update and delete', () => {
  it('are not offered by a server that keeps no version of before, nor where nothing is written', async () => {
    const {
      update: _,
      remove: __,
      ...data
    } = (await mcpServer()).documents.port as Required<DataPort>
    for (const mcp of [{ data }, { writes: false }]) {
      const { server, token } = await connected({ mcp })
      const { body } = await server.message(token, modern('tools/list'), LIST)
      const { tools } = body['result'] as { tools: { name: string }[] }
      const names = tools.map(({ name }) => name)
      expect(names).to.include('fetch')
      expect(names.filter((name) => name === 'update' || name === 'delete')).to.deep.equal([])
      const answer = await server.call(token, 'delete', { id: ID, revision: '1' })
      expect(answer.body).to.have.nested.property('error.code', -32_602)
    }
  })

  it('ask for what they need: one of the verbs that change, and the one that deletes', async () => {
    const server = await mcpServer()
    const revision = await noted(server)
    const change = { id: ID, revision, fields: { text: 'x' } }
    const scopeOf = ({ status, headers }: Answer): string => {
      expect(status).to.equal(403)
      return /scope="([^"]*)"/.exec(headers['www-authenticate'] ?? '')?.[1] ?? ''
    }
    const reader = await server.connect(rules('GET'))
    expect(scopeOf(await server.call(reader, 'update', change))).to.equal(rules('GET', 'PUT'))
    expect(scopeOf(await server.call(reader, 'delete', { id: ID, revision }))).to.equal(
      rules('GET', 'DELETE'),
    )
    const patcher = await server.connect(rules('PATCH'))
    // The rules of this server know one of them only: it was asked, and refused by itself.
    expect(resultOf(await server.call(patcher, 'update', change)).error.code).to.equal('not_found')
  })

  it('refuse fields that are the server’s, none and too many, and kinds that are not offered', async () => {
    const server = await mcpServer()
    const revision = await noted(server)
    const token = await server.connect(rules('PUT', 'DELETE'))
    const update = (fields: object, id = ID) =>
      server.call(token, 'update', { id, revision, fields })
    expect(resultOf(await update({ _rev: null })).error.code).to.equal('invalid_fields')
    for (const fields of [{}, 'x', null, []]) {
      const { body } = await update(fields as object)
      expect(body, JSON.stringify(fields)).to.have.nested.property('error.code', -32_602)
    }
    for (const id of ['io.svc.safe.secrets/pin', 'nonsense', `${NOTES}/a\u0000b`, `${NOTES}/`]) {
      expect(resultOf(await update({ a: 1 }, id)).error.code, id).to.equal('not_found')
      const gone = await server.call(token, 'delete', { id, revision })
      expect(resultOf(gone).error.code, id).to.equal('not_found')
    }
    expect(await noted(server)).not.to.equal('')
  })
})
