import { sqliteStore } from '@svc/store/sqlite'
import { afterTest, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { connected, HOST, mcpServer, resultOf } from '../support/mcp-server.ts'

const METADATA = `resource_metadata="https://${HOST}/.well-known/oauth-protected-resource/mcp"`
const NOTE = { kind: 'io.svc.notes', fields: { title: 'New' }, key: 'k' }

describe('permissions of a call', () => {
  it('are asked for at once, five times an hour, before the tool runs', async () => {
    const { server, token } = await connected({}, 'io.svc.contacts:GET')
    for (let time = 0; time < 5; time += 1) {
      const answer = await server.call(token, 'create', NOTE)
      expect(answer.status).to.equal(403)
      expect(answer.headers['www-authenticate']).to.equal(
        `Bearer error="insufficient_scope", scope="io.svc.contacts:GET io.svc.notes:POST", ${METADATA}, error_description="permission needed: io.svc.notes:POST"`,
      )
      expect(answer.body).to.deep.equal({
        jsonrpc: '2.0',
        error: { code: -32_600, message: 'permission needed: io.svc.notes:POST' },
        id: 1,
      })
    }
    const refused = resultOf(await server.call(token, 'create', NOTE))
    expect(refused.error).to.deep.equal({
      code: 'permission_refused',
      message: 'The owner did not allow this. Ask the owner to connect again and to allow it.',
    })
    expect(await server.documents.all(server.instance, 'io.svc.notes')).to.deep.equal([])
    const entries = await server.entries()
    expect(entries.map(({ outcome, documents }) => [outcome, documents])).to.deep.equal([
      ...Array.from({ length: 5 }, () => ['insufficient_scope', 0]),
      ['permission_refused', 0],
    ])
  })

  it('are those of any kind for a search without one', async () => {
    const server = await mcpServer()
    const reader = await server.connect('io.svc.contacts:GET')
    resultOf(await server.call(reader, 'search', { query: 'x' }))
    const writer = await server.connect('io.svc.notes:POST')
    const answer = await server.call(writer, 'search', { query: 'x' })
    expect(answer.status).to.equal(403)
    expect(answer.headers['www-authenticate']).to.include(
      'scope="io.svc.notes:POST io.svc.notes:GET io.svc.contacts:GET"',
    )
  })

  it('to write are neither shown nor taken where the operator wants none', async () => {
    const store = sqliteStore({ file: ':memory:', clock: fakeClock() })
    const scope = 'io.svc.notes:GET io.svc.notes:POST'
    // It was allowed while the operator had nothing against it.
    const token = await (await mcpServer({ store })).connect(scope)
    const server = await mcpServer({ store, mcp: { writes: false } })
    afterTest(() => store.close())
    const refused = await server.connect(scope).catch((error: unknown) => String(error))
    expect(refused).to.match(/refused: invalid_scope/)
    const answer = await server.call(token, 'create', NOTE)
    expect(answer.body).to.have.nested.property('error.code', -32_602)
    const { structuredContent } = resultOf(await server.call(token, 'list_kinds'))
    expect(structuredContent).to.have.deep.nested.property('kinds[0].verbs', ['GET'])
    expect(await server.documents.all(server.instance, 'io.svc.notes')).to.deep.equal([])
  })
})
