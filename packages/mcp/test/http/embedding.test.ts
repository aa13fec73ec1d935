import type { Instance } from '@svc/platform'
import type { ResourceAccess } from '@svc/oauth-core'
import { expect } from 'chai'
import { ToolError } from '../../src/index.ts'
import { legacy, mcpServer, resultOf } from '../support/mcp-server.ts'

const PHOTOS = 'io.example.photos'
const OWN = { withoutData: true, mcp: { path: '/photos/mcp', name: 'Photos', kinds: [PHOTOS] } }
const NO_ARGUMENTS = { type: 'object', properties: {}, additionalProperties: false } as const

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
    const tool = { name: 'one', title: 'One', input: NO_ARGUMENTS, run: async () => ({}) }
    const reads = () => [{ verb: 'GET', type: PHOTOS }] as const
    const writes = () => [{ verb: 'POST', type: PHOTOS }] as const
    // A program without types may leave anything out.
    const declare = (more: object) => () => mcp.tool({ ...tool, ...more } as never)
    expect(declare({ readOnly: true })).to.throw(TypeError, 'does not say what it needs')
    expect(declare({ readOnly: true, needs: writes })).to.throw(TypeError, 'more than GET')
    const open = { type: 'object', properties: {} }
    expect(declare({ readOnly: true, needs: reads, input: open })).to.throw(TypeError)
    expect(declare({ readOnly: true, needs: reads, name: 'a b' })).to.throw(TypeError)
    declare({ readOnly: true, needs: reads })()
    expect(declare({ readOnly: true, needs: reads })).to.throw(TypeError, 'declared already')
  })

  it('have the entry of a write before they run, unless they write it themselves', async () => {
    const server = await mcpServer(OWN)
    const seen: number[] = []
    server.mcp.tool({
      name: 'print',
      title: 'Print',
      readOnly: false,
      input: NO_ARGUMENTS,
      needs: () => [{ verb: 'POST', type: PHOTOS }],
      async run() {
        seen.push((await server.entries()).length)
        return { printed: true }
      },
    })
    const token = await server.connect(`${PHOTOS}:POST`)
    resultOf(await server.call(token, 'print'))
    expect(seen).to.deep.equal([1])
    expect(await server.entries()).to.have.lengthOf(1)
  })

  it('may refuse in fixed words, and break without telling why', async () => {
    const server = await mcpServer({ ...OWN, mayCrash: true })
    const refuse = (code: 'broken' | 'conflict' | 'large') => async () => {
      if (code === 'conflict') throw new ToolError(code)
      if (code === 'large') return { text: 'x'.repeat(200_000) }
      throw new Error('secret path /var/lib')
    }
    for (const code of ['broken', 'conflict', 'large'] as const) {
      server.mcp.tool({
        name: code,
        title: code,
        readOnly: true,
        input: NO_ARGUMENTS,
        needs: () => [],
        run: refuse(code),
      })
    }
    const token = await server.connect(`${PHOTOS}:GET`)
    expect(resultOf(await server.call(token, 'conflict')).error.code).to.equal('conflict')
    expect(resultOf(await server.call(token, 'large')).error.code).to.equal('too_large')
    const broken = await server.call(token, 'broken')
    expect(broken.status).to.equal(500)
    expect(broken.text).not.to.include('secret')
    server.mcp.tool({
      name: 'throws',
      title: 'throws',
      readOnly: true,
      input: NO_ARGUMENTS,
      needs: () => [],
      run() {
        throw new Error('secret path /var/lib')
      },
    })
    expect((await server.call(token, 'throws')).status).to.equal(500)
    const outcomes = (await server.entries()).map(({ outcome }) => outcome)
    expect(outcomes).to.deep.equal(['conflict', 'too_large', 'internal_error', 'internal_error'])
  })
})
