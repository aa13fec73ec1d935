import { eachStore, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { DEFAULT_LIMITS } from '../../src/index.ts'
import { connected, type McpServer, mcpServer, ownTool, resultOf } from '../support/mcp-server.ts'

const NOTES = 'io.svc.notes'

function limited(bucket: keyof typeof DEFAULT_LIMITS, limit: number) {
  return { limits: { [bucket]: { limit, windowMs: DEFAULT_LIMITS[bucket].windowMs } } }
}

function create(server: McpServer, token: string, key: string) {
  return server.call(token, 'create', { kind: NOTES, fields: { title: key }, key })
}

eachStore((open) => {
  describe('limits of calls', () => {
    /** A store whose clock stands, so that no second of a window goes by. */
    async function standing() {
      const clock = fakeClock()
      clock.stop()
      return { clock, store: await open({ clock }) }
    }

    for (const bucket of ['minute', 'hour'] as const) {
      it(`tell a model when to go on, and stop who does not listen: ${bucket}`, async () => {
        const options = { ...(await standing()), mcp: limited(bucket, 2) }
        const server = await mcpServer(options)
        const other = await mcpServer(options)
        const token = await server.connect()
        for (let call = 0; call < 2; call += 1) {
          expect(resultOf(await server.call(token, 'list_kinds')).isError).to.equal(false)
        }
        // Another process counts the same calls.
        const { error } = resultOf(await other.call(token, 'list_kinds'))
        expect(error.code).to.equal('limit_reached')
        expect(error.retryAfterSeconds).to.equal(DEFAULT_LIMITS[bucket].windowMs / 1000)
        for (let call = 3; call < 20; call += 1) await server.call(token, 'list_kinds')
        const flood = await server.call(token, 'list_kinds')
        expect(flood.status).to.equal(429)
        expect(flood.headers['retry-after']).to.equal(
          String(DEFAULT_LIMITS[bucket].windowMs / 1000),
        )
      })
    }

    it('count writes apart', async () => {
      const store = await open()
      const { server, token } = await connected(
        { store, mcp: limited('writes', 1) },
        `${NOTES}:GET ${NOTES}:POST`,
      )
      expect(resultOf(await create(server, token, 'a')).isError).to.equal(false)
      expect(resultOf(await create(server, token, 'b')).error.code).to.equal('limit_reached')
      expect(resultOf(await server.call(token, 'list_kinds')).isError).to.equal(false)
      expect(await server.documents.all(server.instance, NOTES)).to.have.lengthOf(1)
    })

    it('count documents that are read, by day', async () => {
      const store = await open()
      const server = await mcpServer({ store, mcp: limited('documents', 3) })
      for (const id of ['a', 'b']) {
        await server.documents.add(server.instance, NOTES, id, 'tulips', 'x')
      }
      const token = await server.connect()
      const list = () => server.call(token, 'list', { kind: NOTES })
      expect(resultOf(await list()).isError).to.equal(false)
      const refused = await list()
      expect(resultOf(refused).error.code).to.equal('limit_reached')
      expect(refused.text).not.to.include('tulips')
    })

    it('count documents before they are given: calls at the same time pass no limit', async () => {
      const store = await open()
      const mcp = { kinds: [NOTES], ...limited('documents', 6) }
      const server = await mcpServer({ store, withoutData: true, mcp })
      const together = Promise.withResolvers<undefined>()
      let running = 0
      const tool = ownTool({
        name: 'two',
        needs: () => [{ verb: 'GET', type: NOTES }],
        async run() {
          running += 1
          if (running === 8) together.resolve(undefined)
          await together.promise
          return { documents: ['a', 'b'] }
        },
      })
      server.mcp.tool(tool)
      const token = await server.connect(`${NOTES}:GET`)
      const answers = await Promise.all(Array.from({ length: 8 }, () => server.call(token, 'two')))
      const refused = answers.filter((answer) => resultOf(answer).isError)
      expect(refused).to.have.lengthOf(5)
      const codes = refused.map((answer) => resultOf(answer).error.code)
      expect(new Set(codes)).to.deep.equal(new Set(['limit_reached']))
    })

    it('are passed by no calls that come at the same time', async () => {
      const store = await open()
      const { server, token } = await connected({ store, mcp: limited('minute', 50) })
      const answers = await Promise.all(
        Array.from({ length: 60 }, () => server.call(token, 'list_kinds')),
      )
      const refused = answers.filter((answer) => resultOf(answer).isError)
      expect(refused).to.have.lengthOf(10)
    })

    it('count the requests of an address', async () => {
      const server = await mcpServer({ ...(await standing()), mcp: limited('address', 2) })
      const one = await server.connect()
      await server.call(one, 'list_kinds')
      await server.call(one, 'list_kinds')
      const other = await server.connect()
      const answer = await server.call(other, 'list_kinds')
      expect(answer.status).to.equal(429)
      expect(answer.headers['retry-after']).to.equal('60')
    })
  })
})
