import assert from 'node:assert/strict'
import { type DefinePart, part } from './suite.ts'

/** Best-effort events. */
export const testBus: DefinePart = part('bus', (it) => {
  it('brings a message to every subscriber of its channel', async ({
    store,
    instance,
    eventually,
  }) => {
    const heard: unknown[] = []
    await store.bus.subscribe(instance, (message) => heard.push(['one', message]))
    await store.bus.subscribe(instance, (message) => heard.push(['two', message]))
    await store.bus.subscribe(`${instance}-other`, (message) => heard.push(['other', message]))
    const message = { revoked: ['a', 'ü 😀'], n: 1, nothing: null }
    await store.bus.publish(instance, message)
    await eventually(() => heard.length >= 2)
    await store.bus.publish(`${instance}-other`, 'last')
    await eventually(() => heard.length >= 3)
    assert.deepEqual(heard, [
      ['one', message],
      ['two', message],
      ['other', 'last'],
    ])
  })

  it('gives each subscriber its own copy', async ({ store, instance, eventually }) => {
    const heard: unknown[] = []
    for (const name of ['one', 'two']) {
      await store.bus.subscribe(instance, (message) => {
        heard.push(structuredClone(message))
        if (Array.isArray(message)) message.push(name)
      })
    }
    await store.bus.publish(instance, ['x'])
    await eventually(() => heard.length === 2)
    assert.deepEqual(heard, [['x'], ['x']])
  })

  it('stops when a subscription ends, twice without harm', async ({
    store,
    instance,
    eventually,
  }) => {
    const heard: unknown[] = []
    const handler = (message: unknown): void => void heard.push(message)
    const end = await store.bus.subscribe(instance, handler)
    await store.bus.subscribe(instance, handler)
    await end()
    await end()
    await store.bus.publish(instance, 1)
    await eventually(() => heard.length > 0)
    await store.bus.publish(instance, 2)
    await eventually(() => heard.includes(2))
    assert.deepEqual(heard, [1, 2])
  })

  it('goes on when a handler throws', async ({ store, instance, eventually }) => {
    const heard: unknown[] = []
    await store.bus.subscribe(instance, () => {
      throw new Error('a mistake of the handler')
    })
    await store.bus.subscribe(instance, (message) => heard.push(message))
    await store.bus.publish(instance, 1)
    await eventually(() => heard.length === 1)
  })

  it('takes a message that a handler does not know for a gap', async ({
    store,
    instance,
    eventually,
  }) => {
    let gaps = 0
    const stop = store.bus.onGap(() => gaps++)
    await store.bus.subscribe(instance, (message) => (message === 'known' ? undefined : 'unknown'))
    await store.bus.publish(instance, 'known')
    await store.bus.publish(instance, { v: 2 })
    await eventually(() => gaps > 0)
    assert.equal(gaps, 1)
    stop()
    await store.bus.publish(instance, { v: 3 })
    assert.equal(gaps, 1)
  })

  it('publishes to nobody without harm', async ({ store, instance }) => {
    await store.bus.publish(instance, 'nobody hears it')
    store.bus.onGap(() => {})()
  })
})
