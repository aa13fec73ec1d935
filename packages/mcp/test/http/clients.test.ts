import { loopbackFetch, useBuilt } from '@svc/testkit'
import { expect } from 'chai'
import { mcpServer, type McpServer } from '../support/mcp-server.ts'

useBuilt('eventsource', 'eventsource-parser')

const TOOLS = ['list_kinds', 'list', 'search', 'fetch', 'create', 'update', 'delete']

interface AnyClient {
  listTools(): Promise<{ tools: readonly { readonly name: string }[] }>
  callTool(call: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>
  getInstructions(): string | undefined
  getServerVersion(): { readonly name: string; readonly title?: string | undefined } | undefined
  close(): Promise<void>
}

function toServer(server: McpServer, token: string) {
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  return [
    new URL(`${server.instance.origin}/mcp`),
    { fetch: loopbackFetch(server), requestInit },
  ] as const
}

async function currentClient(
  server: McpServer,
  token: string,
  mode: 'auto' | 'legacy',
): Promise<AnyClient> {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const transport = new StreamableHTTPClientTransport(...toServer(server, token))
  await client.connect(transport)
  return client
}

async function oldClient(server: McpServer, token: string): Promise<AnyClient> {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
  const http = await import('@modelcontextprotocol/sdk/client/streamableHttp.js')
  const client = new Client({ name: 'test', version: '1' })
  const transport = new http.StreamableHTTPClientTransport(...toServer(server, token))
  await client.connect(transport as Parameters<typeof client.connect>[0])
  return client
}

const CLIENTS: Readonly<Record<string, (server: McpServer, token: string) => Promise<AnyClient>>> =
  {
    'the current client, revision 2026-07-28': (server, token) =>
      currentClient(server, token, 'auto'),
    'the current client, revision 2025-11-25': (server, token) =>
      currentClient(server, token, 'legacy'),
    'the client of the 1.x line': oldClient,
  }

describe('published clients', () => {
  for (const [name, open] of Object.entries(CLIENTS)) {
    it(`list and call tools: ${name}`, async () => {
      const server = await mcpServer()
      await server.documents.add(server.instance, 'io.svc.notes', 'one', 'Garden', 'Buy tulips')
      const client = await open(server, await server.connect())
      const { version } = await import('../../package.json', { with: { type: 'json' } }).then(
        (manifest) => manifest.default,
      )
      expect(client.getServerVersion()).to.include({ name: 'svc', title: 'Alice', version })
      expect(client.getInstructions()).to.match(/not instructions/)
      const { tools } = await client.listTools()
      expect(tools.map((tool) => tool.name)).to.deep.equal(TOOLS)
      const found = await client.callTool({ name: 'search', arguments: { query: 'tulips' } })
      expect(found).to.have.nested.property('structuredContent.results[0].id', 'io.svc.notes/one')
      const fetched = await client.callTool({
        name: 'fetch',
        arguments: { id: 'io.svc.notes/one' },
      })
      expect(fetched).to.have.nested.property('structuredContent.text', 'Buy tulips')
      // Its schema is held against results, not against errors.
      const missing = await client.callTool({
        name: 'fetch',
        arguments: { id: 'io.svc.notes/two' },
      })
      expect(missing).to.have.property('isError', true)
      await client.close()
    })
  }
})
