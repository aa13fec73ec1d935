import assert from 'node:assert/strict'
import { StoreUnavailableError } from '../store.ts'
import { type DefinePart, part, type Subject } from './suite.ts'

const CALLS: readonly [name: string, call: (subject: Subject) => Promise<unknown>][] = [
  ['get', ({ store, key }) => store.get(key('a'))],
  ['inspect', ({ store, key }) => store.inspect([key('a')])],
  ['dump', ({ store }) => store.dump()[Symbol.asyncIterator]().next()],
  [
    'load',
    ({ store, key }) => store.load([{ type: 'counter', key: key('a'), count: 1, resetsAt: 4e12 }]),
  ],
  ['getMany', ({ store, key }) => store.getMany([key('a')])],
  ['write', ({ store, key }) => store.write([{ op: 'delete', key: key('a') }])],
  ['take', ({ store, key }) => store.take(key('a'))],
  ['hit', ({ store, key }) => store.hit(key('a'), 1000)],
  ['hit by 0', ({ store, key }) => store.hit(key('a'), 1000, 0)],
  ['list', ({ store, index }) => store.list(index('all'))],
  ['count', ({ store, index }) => store.count(index('all'))],
  ['health', ({ store }) => store.health()],
  ['bus.publish', ({ store }) => store.bus.publish('a', 1)],
  ['bus.subscribe', ({ store }) => store.bus.subscribe('a', () => {})],
  ['scheduler.at', ({ store }) => store.scheduler.at('a', 'b', 0)],
  ['scheduler.cancel', ({ store }) => store.scheduler.cancel('a', 'b')],
  ['scheduler.process', ({ store }) => store.scheduler.process('a', async () => {})],
]

/** The end of a store object. */
export const testClosing: DefinePart = part('close', (it) => {
  it('finishes what was asked for before', async ({ store, key }) => {
    const writes = Array.from({ length: 20 }, (_, n) =>
      store.write([{ op: 'put', key: key(String(n)), value: n }]),
    )
    const closing = store.close()
    const results = await Promise.all(writes)
    assert.ok(results.every(({ written }) => written))
    await closing
  })

  it('may be called again', async ({ store }) => {
    await Promise.all([store.close(), store.close()])
    await store.close()
  })

  for (const [name, call] of CALLS) {
    it(`makes ${name} throw a StoreUnavailableError`, async (subject) => {
      await subject.store.close()
      await assert.rejects(call(subject), isUnavailable)
    })
  }
})

function isUnavailable(error: unknown): boolean {
  assert.ok(error instanceof StoreUnavailableError)
  const { name, code, status, expose, headers } = error
  assert.deepEqual(
    { name, code, status, expose, headers },
    {
      name: 'StoreUnavailableError',
      code: 'store_unavailable',
      status: 503,
      expose: true,
      headers: { 'Retry-After': '1' },
    },
  )
  return true
}
