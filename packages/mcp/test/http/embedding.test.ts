import type { Instance } from '@svc/platform'
import type { ResourceAccess } from '@svc/oauth-core'
import { expect } from 'chai'
import { ToolError } from '../../src/index.ts'
import { legacy, mcpServer, ownTool, resultOf } from '../support/mcp-server.ts'

const PHOTOS = 'io.example.photos'
const OWN = { withoutData: true, mcp: { path: '/photos/mcp', name: 'Photos', kinds: [PHOTOS] } }

async function photosOf(
  instance: Instance,
  year: unknown,
  access: ResourceAccess,
): Promise<readonly string[]> {
  return access.allows('GET', PHOTOS) ? [`${instance.domain} in ${String(year)}`] : []
}

describe('tools of an embedding server', () => {
  it('need ten lines', async () => {
    const server = await mcpServer(OWN)
    const { mcp } = server
    mcp.tool({
      name: 'find_photos',
      title: 'Find photos',
      readOnly: true,
      input: {
        type: 'object',
        properties: { year: { type: 'integer' } },
        additionalProperties: false,
      },
      needs: () => [{ verb: 'GET', type: PHOTOS }],
      run: async ({ year }, { instance, access }) => ({
        photos: await photosOf(instance, year, access),
      }),
    })
    const metadata = await server.send('GET', '/.well-known/oauth-protected-resource/photos/mcp')
    expect(metadata.body).to.include({ resource: 'https://alice.example.com/photos/mcp' })
    expect(metadata.body['scopes_supported']).to.deep.equal([`${PHOTOS}:GET`])
    const described = await server.send('GET', '/.well-known/oauth-authorization-server')
    expect(described.body['protected_resources']).to.deep.equal([
      'https://alice.example.com/photos/mcp',
    ])
    const challenged = await server.send('POST', '/photos/mcp', {
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect(challenged.headers['www-authenticate']).to.equal(
      `Bearer resource_metadata="https://alice.example.com/.well-known/oauth-protected-resource/photos/mcp", scope="${PHOTOS}:GET"`,
    )
    const token = await server.connect(`${PHOTOS}:GET`)
    const listed = await server.message(token, legacy('tools/list'))
    expect(listed.body).to.have.nested.property('result.tools[0].description', 'Find photos')
    const { structuredContent } = resultOf(await server.call(token, 'find_photos', { year: 2026 }))
    expect(structuredContent).to.deep.equal({ photos: ['alice.example.com in 2026'] })
    const [entry] = await server.entries()
    expect(entry).to.include({ tool: 'find_photos', type: PHOTOS, documents: 1, outcome: 'ok' })
  })

  it('say what they need, and no more than they are', async () => {
    const { mcp } = await mcpServer(OWN)
    const reads = () => [{ verb: 'GET', type: PHOTOS }] as const
    const writes = () => [{ verb: 'POST', type: PHOTOS }] as const
    const declare = (more: object) => () => mcp.tool(ownTool({ run: async () => ({}), ...more }))
    expect(declare({ needs: undefined })).to.throw(TypeError, 'does not say what it needs')
    expect(declare({ needs: writes })).to.throw(TypeError, 'more than GET')
    const open = { type: 'object', properties: {} }
    expect(declare({ needs: reads, input: open })).to.throw(TypeError)
    expect(declare({ needs: reads, name: 'a b' })).to.throw(TypeError)
    declare({ needs: reads })()
    expect(declare({ needs: reads })).to.throw(TypeError, 'declared already')
  })

  it('have the entry of a write before they run, unless they write it themselves', async () => {
    const server = await mcpServer(OWN)
    const seen: number[] = []
    const needs = () => [{ verb: 'POST', type: PHOTOS }]
    const run = async () => ({ printed: seen.push((await server.entries()).length) })
    server.mcp.tool(ownTool({ name: 'print', readOnly: false, needs, run }))
    const token = await server.connect(`${PHOTOS}:POST`)
    resultOf(await server.call(token, 'print'))
    expect(seen).to.deep.equal([1])
    expect(await server.entries()).to.have.lengthOf(1)
  })

  it('may refuse in fixed words, and break without telling why', async () => {
    const server = await mcpServer({ ...OWN, mayCrash: true })
    const tools = {
      conflict: () => Promise.reject(new ToolError('conflict')),
      large: async () => ({ text: 'x'.repeat(200_000) }),
      broken: () => Promise.reject(new Error('secret path /var/lib')),
      throws: () => {
        throw new Error('secret path /var/lib')
      },
    }
    for (const [name, run] of Object.entries(tools)) server.mcp.tool(ownTool({ name, run }))
    const token = await server.connect(`${PHOTOS}:GET`)
    expect(resultOf(await server.call(token, 'conflict')).error.code).to.equal('conflict')
    expect(resultOf(await server.call(token, 'large')).error.code).to.equal('too_large')
    for (const name of ['broken', 'throws']) {
      const broken = await server.call(token, name)
      expect(broken.status).to.equal(500)
      expect(broken.text).not.to.include('secret')
    }
    const outcomes = (await server.entries()).map(({ outcome }) => outcome)
    expect(outcomes).to.deep.equal(['conflict', 'too_large', 'internal_error', 'internal_error'])
  })
})
