import type { Store } from '@svc/store'
import { sqliteStore } from '@svc/store/sqlite'
import { expect } from 'chai'
import { afterEach, describe, it } from 'mocha'
import { startIntake } from '../support/intake-server.ts'

const PLAIN = { category: 'plain', title: 't' }

describe('the rows of the intake', () => {
  let store: Store
  afterEach(() => store.close())

  it('answer every status that they declare, and no other', async () => {
    const gate = Promise.withResolvers<void>()
    let isHeld = false
    const server = await startIntake({
      store: async (clock) => {
        store = sqliteStore({ file: ':memory:', clock })
        return store
      },
      maxUnfinished: 1,
      wrapOutbox: (outbox) => ({
        ...outbox,
        async insert(...given) {
          if (isHeld) await gate.promise
          return outbox.insert(...given)
        },
      }),
    })
    const app = await server.app()
    const first = await server.post(app, PLAIN) // 201
    await server.post(app, PLAIN) // 429
    await server.post({}, PLAIN) // 401
    await server.post(app, { category: 'other', title: 't' }) // 403
    await server.post(app, { ...PLAIN, priority: 'x' }) // 422
    await server.post(app, PLAIN, { 'content-type': 'text/plain' }) // 415
    const headers = { ...app, 'content-type': 'application/json' }
    await server.send('POST', '/notifications', { headers, body: '{' }) // 400
    await server.send('POST', '/notifications', { headers, body: 'x'.repeat(600_000) }) // 413
    const lost = await server.client('*', { software_id: 'registry://notes' })
    await server.post(lost.headers, PLAIN) // 404

    const own = first.data.links.self
    await server.send('GET', own, { headers: app }) // 200
    await server.send('DELETE', own, { headers: app }) // 204
    await server.send('DELETE', own, { headers: app }) // 409
    for (const method of ['GET', 'DELETE']) {
      await server.send(method, own) // 401
      await server.send(method, `${own}?a=1&a=1`, { headers: app }) // 400
      await server.send(method, `${own}0`, { headers: app }) // 404
    }
    isHeld = true
    const keyed = { 'idempotency-key': 'one' }
    const both = [server.post(app, PLAIN, keyed), server.post(app, PLAIN, keyed)]
    expect((await Promise.race(both)).status).to.equal(409)
    gate.resolve()
    await Promise.all(both)

    expect(server.statuses.undeclared()).to.deep.equal([])
    expect(server.statuses.missing(server.intake.rows)).to.deep.equal([])
  })
})
