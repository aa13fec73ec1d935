import { expect } from 'chai'
import { mcpServer, resultOf } from '../support/mcp-server.ts'

describe('tools for documents', () => {
  it('list, search and fetch what the owner allowed', async () => {
    const server = await mcpServer()
    const { instance, documents } = server
    await documents.add(instance, 'io.svc.notes', 'one', 'Garden', 'Buy tulips')
    await documents.add(instance, 'io.svc.contacts', 'bob', 'Bob', 'Bob from the garden')
    const token = await server.connect('io.svc.notes:GET')

    const kinds = resultOf(await server.call(token, 'list_kinds'))
    expect(kinds.structuredContent).to.deep.equal({
      kinds: [{ kind: 'io.svc.notes', name: 'Notes', allowed: ['Read them'], verbs: ['GET'] }],
    })
    const list = resultOf(await server.call(token, 'list', { kind: 'io.svc.notes' }))
    expect(list.structuredContent['documents']).to.deep.equal([
      { id: 'io.svc.notes/one', title: 'Garden' },
    ])
    const search = resultOf(await server.call(token, 'search', { query: 'GARDEN' }))
    expect(search.structuredContent).to.deep.equal({
      source: 'owner-document',
      trust: 'untrusted',
      complete: true,
      results: [
        {
          id: 'io.svc.notes/one',
          title: 'Garden',
          url: instance.origin,
          kind: 'io.svc.notes',
          excerpt: 'Buy tulips',
        },
      ],
    })
    const fetched = resultOf(await server.call(token, 'fetch', { id: 'io.svc.notes/one' }))
    expect(fetched.structuredContent).to.include({ title: 'Garden', text: 'Buy tulips' })
  })
})
