import { expect } from 'chai'
import { indexKey, recordKey, type Store } from '@svc/store'
import { eachStore, fakeClock, until } from '@svc/testkit'
import { BusyWatch } from '../../src/assistants/busy-watch.ts'
import { CallLog } from '../../src/assistants/call-log.ts'
import { foldCalls } from '../../src/assistants/fold-calls.ts'
import { countSince } from '../../src/assistants/read-calls.ts'
import type { AssistantCall } from '../../src/index.ts'
import { oauthServer, type OAuthServer } from '../oauth-server.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

function callOf({ instance }: OAuthServer, changes: Partial<AssistantCall> = {}): AssistantCall {
  return {
    instance: instance.id,
    grantId: 'grant',
    clientId: 'client',
    tool: 'fetch',
    type: 'io.svc.notes',
    documents: 1,
    bytes: 100,
    outcome: 'ok',
    ...changes,
  }
}

eachStore((open) => {
  describe('what an assistant did', () => {
    const start = () => {
      const clock = fakeClock()
      return oauthServer({ clock, start: true, openStore: () => open({ clock }) })
    }

    it('is there once it is recorded, the newest first, 100 a page', async () => {
      const server = await start()
      const { assistants } = server.oauth
      for (let n = 0; n < 130; n += 1) await assistants.recordCall(callOf(server, { bytes: n }))
      await assistants.recordCall(callOf(server, { clientId: 'other' }))
      const first = await assistants.listCalls(server.instance, 'client')
      expect(first.calls).to.have.lengthOf(100)
      const second = await assistants.listCalls(server.instance, 'client', first.cursor)
      expect(second.cursor).to.equal(undefined)
      const bytes = [...first.calls, ...second.calls].map((call) => call.bytes)
      expect(bytes).to.deep.equal(Array.from({ length: 130 }, (_, n) => 129 - n))
      const writes = [{ id: 'io.svc.notes/1', revision: '2-a' }]
      await assistants.recordCall(callOf(server, { tool: 'update', writes }))
      const [call] = (await assistants.listCalls(server.instance, 'client')).calls
      expect(call).to.deep.include({ grantId: 'grant', tool: 'update', writes, outcome: 'ok' })
      expect(await assistants.countCalls(server.instance, 'client', 0)).to.deep.equal({
        calls: 131,
        documents: 131,
      })
    })

    it('is in the very write of what it did, whose revision its documents have', async () => {
      const server = await start()
      const { assistants } = server.oauth
      const key = recordKey(server.instance.id, 'test', 'document')
      const writes = [{ id: 'io.svc.notes/1', revision: '' }]
      const put = { op: 'put', key, value: 'text', ifAbsent: true } as const
      for (const isWritten of [true, false]) {
        const changes = await assistants.callChanges(callOf(server, { tool: 'create', writes }))
        expect((await server.store.write([put, ...changes])).written).to.equal(isWritten)
      }
      const revision = (await server.store.get(key))?.revision
      const { calls } = await assistants.listCalls(server.instance, 'client')
      expect(calls.map((call) => call.writes)).to.deep.equal([[{ id: 'io.svc.notes/1', revision }]])
    })

    it('refuses a cursor of its own making', async () => {
      const server = await start()
      const refused = await server.oauth.assistants
        .listCalls(server.instance, 'client', 'x')
        .catch((error: unknown) => error)
      expect(refused).to.be.instanceOf(TypeError)
    })

    it('is counted by day and kind after 7 days, and gone 90 days after it was done', async () => {
      const server = await start()
      const { clock, instance, store } = server
      const { assistants } = server.oauth
      clock.stop()
      const midnight = Math.ceil(clock.now() / DAY_MS) * DAY_MS
      clock.advance(midnight - clock.now())
      const at = clock.now()
      await assistants.recordCall(callOf(server))
      await assistants.recordCall(callOf(server, { documents: 5, bytes: 50 }))
      await assistants.recordCall(
        callOf(server, { type: 'io.svc.contacts', documents: 0, outcome: 'permission_refused' }),
      )
      clock.advance(2 * DAY_MS)
      await assistants.recordCall(callOf(server))
      clock.advance(6 * DAY_MS)
      const read = () => assistants.listCalls(instance, 'client')
      await until(async () => (await read()).calls.length === 1)
      const { days } = await read()
      expect(days).to.have.lengthOf(1)
      expect(days[0]?.kinds).to.deep.equal({
        'io.svc.notes': { calls: 2, documents: 6, bytes: 150, refused: 0 },
        'io.svc.contacts': { calls: 1, documents: 0, bytes: 100, refused: 1 },
      })
      expect(await assistants.countCalls(instance, 'client', at - 1)).to.deep.equal({
        calls: 4,
        documents: 7,
      })
      expect(await assistants.countCalls(instance, 'client', clock.now())).to.deep.equal({
        calls: 0,
        documents: 0,
      })
      clock.advance(2 * DAY_MS)
      await until(async () => (await read()).days.length === 2)
      clock.advance(81 * DAY_MS + HOUR_MS)
      expect((await read()).days.map(({ from }) => from)).to.deep.equal([at + 2 * DAY_MS])
      clock.advance(2 * DAY_MS)
      expect(await read()).to.deep.equal({ calls: [], days: [] })
      const left = await store.list(indexKey(instance.id, 'assistant-days'))
      expect(left.records).to.deep.equal([])
    })

    it('is folded earlier than that when it is too much, each call counted once', async () => {
      const server = await start()
      const { store, clock, instance, oauth } = server
      const { log, instances } = oauth
      const emitter = { emit: () => {} }
      const busy = new BusyWatch({ store, log, instances, emitter })
      const options = { store, clock, log, instances, busy, maxCalls: 100 }
      const logs = [new CallLog(options), new CallLog(options)] as const
      const calls = Array.from({ length: 240 }, (_, n) => n)
      await Promise.all(calls.map((n) => logs[n % 2 === 0 ? 0 : 1].record(callOf(server))))
      const read = () => oauth.assistants.listCalls(instance, 'client')
      await until(async () => (await read()).calls.length <= 100)
      const counted = () => oauth.assistants.countCalls(instance, 'client', 0)
      await until(async () => (await counted()).calls === 240)
      expect(await counted()).to.deep.equal({ calls: 240, documents: 240 })
    })

    it('is counted whole while calls become part of their day', async () => {
      const server = await start()
      const { store, instance, oauth } = server
      for (let n = 0; n < 6; n += 1) await oauth.assistants.recordCall(callOf(server))
      const most = { before: 0, keptMs: DAY_MS }
      let left = 6
      const folding: Pick<Store, 'list'> = {
        list: async (index, page) => {
          left -= 2
          // The oldest two, before whatever is read.
          if (left >= 0) await foldCalls(store, instance, 'client', { ...most, most: left })
          return store.list(index, page)
        },
      }
      const counted = await countSince({ store: folding }, instance, 'client', 0)
      expect(counted).to.deep.equal({ calls: 6, documents: 6 })
    })

    it('is told once when it is much in an hour, of what was read alone', async () => {
      const server = await start()
      const { clock, instance, oauth } = server
      const told: unknown[] = []
      oauth.on('assistant.busy', (event) => told.push({ ...event, instance: event.instance.id }))
      const busy = { instance: instance.id, clientId: 'client', documents: 1000 }
      const read = async (documents: number, more: Partial<AssistantCall> = {}) => {
        await oauth.assistants.recordCall(callOf(server, { documents, ...more }))
      }
      await read(1000)
      await read(50, { writes: [{ id: 'a', revision: '1' }] })
      await read(900, { clientId: 'other' })
      await read(1)
      await until(() => told.length > 0)
      await read(500)
      clock.advance(HOUR_MS + 1)
      await read(1001)
      await until(() => told.length > 1)
      expect(told).to.deep.equal([busy, busy])
    })

    it('is refused for an instance that is gone, and removed with its instance', async () => {
      const server = await start()
      const { store, instance, oauth } = server
      await oauth.assistants.recordCall(callOf(server))
      await oauth.instances.remove(instance.id)
      expect((await store.list(indexKey(instance.id, 'assistant-calls'))).records).to.be.empty
      const refused: unknown = await oauth.assistants
        .recordCall(callOf(server))
        .catch((error: unknown) => error)
      expect(refused).to.include({ status: 503 })
    })
  })
})
