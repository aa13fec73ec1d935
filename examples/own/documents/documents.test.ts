import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import { createConnectors } from '@svc/connectors'
import { createOAuth } from '@svc/oauth-core'
import { testToken } from '@svc/oauth-core/testing'
import { createRealtime } from '@svc/realtime'
import { sqliteStore } from '@svc/store/sqlite'
import Koa from 'koa'
import { accountStore, DOCUMENT_RECORD, documentRoutes, Documents } from './documents.ts'

const TYPE = 'io.example.recipes'

it('guards documents, compares revisions and tells who listens', async () => {
  const store = sqliteStore({ file: ':memory:' })
  const keys = [{ kid: '1', key: randomBytes(32) }]
  const oauth = createOAuth({ store, keys, testing: true })
  oauth.records.declare([DOCUMENT_RECORD])
  const documents = new Documents(store)
  const realtime = createRealtime({ oauth })
  const app = new Koa()
  app.use(oauth.resolveInstance())
  app.use(documentRoutes(documents, { oauth, realtime }))
  app.use(realtime.routes())
  const server = createServer((incoming, response) => void app.callback()(incoming, response))
  realtime.attach(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const instance = await oauth.instances.create({ domain: `alice.localhost:${port}` })
  const token = await testToken(oauth, { instance, scope: TYPE })
  const reader = await testToken(oauth, { instance, scope: `${TYPE}:GET` })
  const send = (method: string, more: Sent = {}) =>
    exchange(port, instance.domain, method, { token, ...more })

  const events: string[] = []
  realtime.onLocalEvent(({ verb, id }) => events.push(`${verb} ${id}`))

  assert.equal((await send('PUT', { token: '', body: {} })).status, 401)
  assert.equal((await send('PUT', { token: reader, body: {} })).status, 403)
  const created = await send('PUT', { body: { name: 'Soup' } })
  assert.equal(created.status, 201)
  const first = created.etag
  const writers = await Promise.all(
    ['Stew', 'Broth', 'Bisque'].map((name) => send('PUT', { body: { name }, ifMatch: first })),
  )
  assert.deepEqual(writers.map(({ status }) => status).toSorted(), [200, 412, 412])
  assert.equal((await send('PUT', { body: { name: 'Lost' } })).status, 428)
  const read = await send('GET', { token: reader })
  assert.equal(read.etag, writers.find(({ status }) => status === 200)?.etag)
  assert.equal((await send('DELETE', { ifMatch: first })).status, 412)
  assert.equal((await send('DELETE', { ifMatch: read.etag })).status, 204)
  assert.equal((await send('GET')).status, 404)
  assert.deepEqual(events, ['CREATED one', 'UPDATED one', 'DELETED one'])

  // Accounts of connectors are documents, too.
  const accounts = accountStore(documents)
  const connectors = createConnectors({
    oauth,
    sessions: { current: async () => undefined, admit: async () => false },
    accounts,
    events: realtime,
  })
  const one = { _id: 'one', account_type: 'shop', name: 'Alice' }
  const account = await accounts.create(instance, one)
  assert.equal(await accounts.update(instance, { ...account, _rev: 'other' }), undefined)
  const renamed = await accounts.update(instance, { ...account, name: 'Al' })
  assert.equal(renamed?.name, 'Al')
  await accounts.create(instance, { ...one, _id: 'two' })
  await connectors.removeAccount(instance, 'two')
  const { accounts: kept } = await accounts.list(instance, {})
  assert.deepEqual(kept, [renamed])

  await oauth.instances.remove(instance.id)
  assert.equal(await documents.get(instance, 'io.svc.accounts', 'one'), undefined)
  await realtime.close()
  await connectors.close()
  await oauth.close()
  await store.close()
  server.close()
  server.closeAllConnections()
})

interface Sent {
  readonly token?: string
  readonly body?: object
  readonly ifMatch?: string
}

async function exchange(
  port: number,
  host: string,
  method: string,
  { token, body, ifMatch }: Sent,
) {
  const asking = request({
    port,
    host: '127.0.0.1',
    path: `/documents/${TYPE}/one`,
    method,
    headers: {
      host,
      authorization: `Bearer ${token}`,
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    },
  })
  asking.end(body === undefined ? undefined : JSON.stringify(body))
  const [response] = (await once(asking, 'response')) as [IncomingMessage]
  response.resume()
  return { status: response.statusCode ?? 0, etag: String(response.headers.etag) }
}
