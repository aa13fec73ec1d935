import { expect } from 'chai'
import { connected, modern, resultOf } from '../support/mcp-server.ts'

const NOTES = 'io.svc.notes'

describe('a hostile client', () => {
  for (const [name, id] of [
    ['a control character', 'a\u0000b'],
    ['half a pair of surrogates', 'a\uD800'],
    ['a way out of its kind', '../io.svc.contacts/one'],
    ['the name of a prototype', '__proto__'],
  ] as const) {
    it(`finds nothing by an id with ${name}`, async () => {
      const { server, token } = await connected()
      const answer = resultOf(await server.call(token, 'fetch', { id: `${NOTES}/${id}` }))
      expect(answer.error.code).to.equal('not_found')
      expect((await server.entries()).map(({ outcome }) => outcome)).to.deep.equal(['not_found'])
    })
  }

  it('gets nothing of a long request back in the words of an error', async () => {
    const { server, token } = await connected()
    const long = 'planted'.repeat(2000)
    for (const message of [
      modern(long),
      modern('tools/call', { name: long }),
      modern('tools/call', { name: 'fetch', arguments: { [long]: 1, id: `${NOTES}/one` } }),
      modern('tools/call', { name: { [long]: long }, arguments: long }),
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: [long], arguments: long } },
      { jsonrpc: '2.0', id: 1, method: long },
    ]) {
      const answer = await server.message(token, message)
      expect(answer.text).not.to.include('planted')
    }
  })

  it('brings nothing down with deep fields', async () => {
    const { server, token } = await connected({}, `${NOTES}:POST`)
    const depth = 30_000
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`
    const call = modern('tools/call', {
      name: 'create',
      arguments: { kind: NOTES, fields: { title: 'DEEP' }, key: 'k' },
    })
    const answer = await server.message(token, JSON.stringify(call).replace('"DEEP"', deep), {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'create',
    })
    expect(answer.status, answer.text).to.be.oneOf([200, 400])
    expect(await server.documents.all(server.instance, NOTES)).to.deep.equal([])
  })

  for (const [tool, given] of [
    ['list', {}],
    ['search', { query: 'x' }],
    ['create', { fields: { title: 'x' }, key: 'k' }],
  ] as const) {
    it(`makes no owner be asked for a kind that is not offered: ${tool}`, async () => {
      const { server, token } = await connected()
      for (const kind of ['io.svc.accounts', 'io.svc.your_account_is_locked']) {
        const answer = await server.call(token, tool, { kind, ...given })
        expect(resultOf(answer).error.code).to.equal('not_found')
        expect(answer.headers).not.to.have.property('www-authenticate')
      }
      // Nothing that a client makes up stands in the owner's list.
      expect((await server.entries()).map(({ outcome, type }) => [outcome, type])).to.deep.equal([
        ['not_found', undefined],
        ['not_found', undefined],
      ])
    })
  }
})
