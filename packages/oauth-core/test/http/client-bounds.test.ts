import { expect } from 'chai'
import { copyClients } from '../copy-clients.ts'
import { METADATA, oauthServer } from '../oauth-server.ts'

const MANY = { 'oauth-client': { limit: 10_000, windowMs: 3_600_000 } }

/** @see operation.md 8.1, 8.4 */
describe('POST /auth/register, clients of an instance', () => {
  /** As many clients as asked for, copies of one that is registered. */
  async function startWith(count: number, indexes: readonly string[]) {
    const server = await oauthServer({ limits: MANY })
    await server.register()
    await copyClients(server, count - 1, indexes)
    return server
  }

  it('answers 403 when there are 1 000 in all, and takes one below', async () => {
    const { send } = await startWith(999, ['clients'])
    expect((await send('POST', '/auth/register', { json: METADATA })).status).to.equal(201)
    const { status, body } = await send('POST', '/auth/register', { json: METADATA })
    expect(status).to.equal(403)
    expect(body['error']).to.equal('too_many_clients')
  })

  it('answers 503 while the server has little room, and lets clients go', async () => {
    const server = await oauthServer({ mayCrash: true })
    const { id, token } = await server.register()
    server.oauth.useSpace(() => true)
    const refused = await server.send('POST', '/auth/register', { json: METADATA })
    expect(refused.status).to.equal(503)
    expect(refused.headers['retry-after']).to.equal('60')
    expect(refused.body['error']).to.equal('storage_full')
    const headers = { authorization: `Bearer ${token}` }
    const gone = await server.send('DELETE', `/auth/register/${id}`, { headers })
    expect(gone.status).to.equal(204)
    server.oauth.useSpace(() => false)
    await server.register()
  })
})
