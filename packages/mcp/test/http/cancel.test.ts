import http from 'node:http'
import type { Store } from '@svc/store'
import { eachStore, until } from '@svc/testkit'
import { expect } from 'chai'
import { HOST, legacy, mcpServer, type McpServer, modern, ownTool } from '../support/mcp-server.ts'

const PHOTOS = 'io.example.photos'

/** A call whose connection is closed as soon as somebody says so. */
function callAndLeave(server: McpServer, token: string, message: object): { leave(): void } {
  const request = http.request({
    port: server.port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/mcp',
    headers: {
      host: HOST,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'mcp-protocol-version': JSON.stringify(message).includes('_meta')
        ? '2026-07-28'
        : '2025-11-25',
      'mcp-method': 'tools/call',
      'mcp-name': 'slow',
    },
  })
  // The end of the connection is what this is about.
  request.on('error', () => {})
  request.end(JSON.stringify(message))
  return { leave: () => request.destroy() }
}

/** A server with a tool that says when it was called, and answers after a wait. */
async function slowServer(
  wait: (context: { signal: AbortSignal }) => Promise<void>,
  store?: Store,
) {
  const server = await mcpServer({
    withoutData: true,
    mcp: { kinds: [PHOTOS] },
    ...(store && { store }),
  })
  const started = Promise.withResolvers<undefined>()
  const tool = ownTool({
    name: 'slow',
    needs: () => [{ verb: 'GET', type: PHOTOS }],
    async run(_given: object, context: { signal: AbortSignal }) {
      started.resolve(undefined)
      await wait(context)
      return { photos: ['tulips'] }
    },
  })
  server.mcp.tool(tool)
  return { server, started: started.promise }
}

describe('a call that nobody waits for any more', () => {
  for (const [era, make] of [
    ['2026-07-28', modern],
    ['2025-11-25', legacy],
  ] as const) {
    it(`stops the work, and is in the list: ${era}`, async () => {
      const { server, started } = await slowServer(
        ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
      )
      const token = await server.connect(`${PHOTOS}:GET`)
      const call = callAndLeave(server, token, make('tools/call', { name: 'slow', arguments: {} }))
      await started
      call.leave()
      await until(async () => (await server.entries()).length > 0)
      const entries = await server.entries()
      expect(entries.map(({ outcome, documents }) => [outcome, documents])).to.deep.equal([
        ['cancelled', 0],
      ])
    })
  }
})

eachStore((open) => {
  describe('an assistant that is cut', () => {
    it('gets no answer of a call under way, and is in the list with it', async () => {
      const held = Promise.withResolvers<void>()
      const { server, started } = await slowServer(() => held.promise, await open())
      const token = await server.connect(`${PHOTOS}:GET`)
      const answering = server.call(token, 'slow')
      await started
      await server.oauth.clients.revokeAll(server.instance)
      held.resolve()
      const answer = await answering
      expect(answer.status).to.equal(401)
      expect(answer.text).to.equal('{"error":"invalid_token"}')
      expect(answer.headers['www-authenticate']).to.include('error="invalid_token"')
      const [entry] = await server.entries()
      expect(entry).to.include({ tool: 'slow', outcome: 'ok', documents: 1 })
      expect((await server.call(token, 'slow')).status).to.equal(401)
    })
  })
})
