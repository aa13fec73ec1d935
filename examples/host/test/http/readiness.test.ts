import { recordKey } from '@svc/store'
import { fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { createHealth, type Health } from '../../src/monitoring/health.ts'
import { becomeReady } from '../../src/monitoring/readiness.ts'
import { eachTestHost } from '../support/for-test.ts'

/** @see operation.md 6.4 */
describe('/health/ready of a process that starts', () => {
  const clock = fakeClock()
  const host = eachTestHost({}, 'alice.example.com', clock)

  async function status(health: Health): Promise<number> {
    const ctx = { req: { url: '/health/ready' }, method: 'GET', set: () => {}, status: 0 }
    await health.middleware(ctx as never, async () => {}) // the members that it looks at
    return ctx.status
  }

  async function start() {
    const health = createHealth(host.host.store, clock)
    const log: [string, unknown][] = []
    expect(await status(health), 'at first').to.equal(503)
    const { oauth } = host.host.app
    const error = (event: string, fields?: unknown): void => void log.push([event, fields])
    await becomeReady({ store: host.host.store, oauth, health, log: { error } })
    return { health, log }
  }

  it('says yes once the bus is heard and keys were read, and never again after a stop', async () => {
    const { health } = await start()
    expect(await status(health)).to.equal(200)
    health.stopping()
    health.started()
    expect(await status(health)).to.equal(503)
  })

  it('does not say yes before the bus is heard', async () => {
    const health = createHealth(host.host.store, clock)
    let isHeard: (end: () => Promise<void>) => void = () => {}
    const bus = {
      ...host.host.store.bus,
      subscribe: () =>
        new Promise<() => Promise<void>>((resolve) => {
          isHeard = resolve
        }),
    }
    const { oauth } = host.host.app
    const ready = becomeReady({ store: { bus }, oauth, health, log: { error: () => {} } })
    expect(await status(health)).to.equal(503)
    isHeard(async () => {})
    await ready
    expect(await status(health)).to.equal(200)
  })

  it('says no when the keys of an instance do not open, and the log says why', async () => {
    const key = recordKey(host.instance.id, 'keys', 'access')
    const sealed = `theirs.${'A'.repeat(64)}`
    await host.host.store.write([{ op: 'put', key, value: { keys: [{ n: 1, sealed }] } }])
    clock.advance(2000)
    const { health, log } = await start()
    expect(await status(health)).to.equal(503)
    expect(log[0]?.[0]).to.equal('keys.open_failed')
    expect(log[0]?.[1]).to.include({ kid: 'theirs' })
  })
})
