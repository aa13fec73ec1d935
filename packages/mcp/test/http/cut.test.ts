import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import { mcpServer } from '../support/mcp-server.ts'

const PHOTOS = 'io.example.photos'

eachStore((open) => {
  describe('an assistant that is cut', () => {
    it('gets no answer of a call under way, and is in the list with it', async () => {
      const store = await open()
      const server = await mcpServer({ store, withoutData: true, mcp: { kinds: [PHOTOS] } })
      const started = Promise.withResolvers<undefined>()
      const held = Promise.withResolvers<undefined>()
      server.mcp.tool({
        name: 'slow',
        title: 'Slow',
        readOnly: true,
        input: { type: 'object', properties: {}, additionalProperties: false },
        needs: () => [{ verb: 'GET', type: PHOTOS }],
        async run() {
          started.resolve(undefined)
          await held.promise
          return { photos: ['tulips'] }
        },
      })
      const token = await server.connect(`${PHOTOS}:GET`)
      const answering = server.call(token, 'slow')
      await started.promise
      await server.oauth.clients.revokeAll(server.instance)
      held.resolve(undefined)
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
