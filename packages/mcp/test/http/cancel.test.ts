import http from 'node:http'
import { until } from '@svc/testkit'
import { expect } from 'chai'
import { HOST, legacy, mcpServer, type McpServer, modern } from '../support/mcp-server.ts'

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

describe('a call that nobody waits for any more', () => {
  for (const [era, make] of [
    ['2026-07-28', modern],
    ['2025-11-25', legacy],
  ] as const) {
    it(`stops the work, and is in the list: ${era}`, async () => {
      const server = await mcpServer({ withoutData: true, mcp: { kinds: [PHOTOS] } })
      const started = Promise.withResolvers<undefined>()
      server.mcp.tool({
        name: 'slow',
        title: 'Slow',
        readOnly: true,
        input: { type: 'object', properties: {}, additionalProperties: false },
        needs: () => [{ verb: 'GET', type: PHOTOS }],
        async run(_given, { signal }) {
          started.resolve(undefined)
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
          return { photos: ['tulips'] }
        },
      })
      const token = await server.connect(`${PHOTOS}:GET`)
      const call = callAndLeave(server, token, make('tools/call', { name: 'slow', arguments: {} }))
      await started.promise
      call.leave()
      await until(async () => (await server.entries()).length > 0)
      const entries = await server.entries()
      expect(entries.map(({ outcome, documents }) => [outcome, documents])).to.deep.equal([
        ['cancelled', 0],
      ])
    })
  }
})
