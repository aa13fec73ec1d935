import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import { METADATA, type OAuthServer } from '../oauth-server.ts'
import { inParallel, MANY, PARALLEL, twoProcesses } from './two-processes.ts'

eachStore((open, name) => {
  const processes = () => twoProcesses(open, name, { limits: { 'oauth-client': MANY } })

  describe('parallel requests', () => {
    it('that register one name get distinct ones', async () => {
      const servers = await processes()
      const clients = await inParallel(servers, (server) => server.register())
      const names = clients.map(({ body }) => body['client_name'])
      const expected: string[] = [METADATA.client_name]
      for (let n = 2; n <= PARALLEL; n += 1) expected.push(`${METADATA.client_name}-${n}`)
      expect(names).to.have.members(expected)
    })

    it('that ask for a new secret get exactly one', async () => {
      const servers = await processes()
      const client = await servers[0].register()
      const answers = await inParallel(servers, (server) =>
        server.send('PUT', `/auth/register/${client.id}`, {
          json: { client_id: client.id, client_secret: client.secret },
          headers: server.bearer(client.token),
        }),
      )
      const winners = answers.filter(({ status }) => status === 200)
      expect(winners).to.have.lengthOf(1)
      for (const { status, body } of answers.filter((answer) => !winners.includes(answer))) {
        if (status === 409) expect(body).to.deep.equal({ error: 'conflict' })
        else expect([status, body['error']]).to.deep.equal([400, 'invalid_client_secret'])
      }
      const { body } = await servers[1].send('GET', `/auth/register/${client.id}`, {
        headers: servers[0].bearer(client.token),
      })
      expect(body['client_secret']).to.equal(winners[0]?.body['client_secret'])
    })

    it('that change different fields lose nothing that was answered 200', async () => {
      const servers = await processes()
      const client = await servers[0].register()
      const fields = ['software_version', 'client_kind', 'notification_device_token'] as const
      const change = (server: OAuthServer, n: number) =>
        server.send('PUT', `/auth/register/${client.id}`, {
          json: { client_id: client.id, [fields[n] ?? '']: 'changed' },
          headers: server.bearer(client.token),
        })
      const answers = await inParallel(servers, change, fields.length)
      const { body } = await servers[0].send('GET', `/auth/register/${client.id}`, {
        headers: servers[0].bearer(client.token),
      })
      for (const [n, { status }] of answers.entries()) {
        const field = fields[n] ?? 'client_kind'
        expect(status).to.be.oneOf([200, 409])
        expect(body[field]).to.equal(status === 200 ? 'changed' : undefined)
      }
      expect(answers.filter(({ status }) => status === 200)).not.to.have.lengthOf(0)
    })

    it('that rename two clients to one name give it to one', async () => {
      const servers = await processes()
      const clients = [await servers[0].register(), await servers[0].register()]
      const answers = await Promise.all(
        clients.map(({ id, token }, n) =>
          servers[n % 2 === 0 ? 0 : 1].send('PUT', `/auth/register/${id}`, {
            json: { client_id: id, client_name: 'wanted' },
            headers: servers[0].bearer(token),
          }),
        ),
      )
      const names = answers.map(({ body }) => body['client_name'])
      expect(names).to.have.members(['wanted', 'wanted-2'])
    })

    it('that update and delete never bring a client back', async () => {
      const servers = await processes()
      for (let round = 0; round < 5; round += 1) {
        const client = await servers[0].register()
        const headers = servers[0].bearer(client.token)
        const path = `/auth/register/${client.id}`
        const answers = await Promise.all([
          ...Array.from({ length: 4 }, (_, n) =>
            servers[n % 2 === 0 ? 0 : 1].send('PUT', path, {
              json: { client_id: client.id, client_kind: `kind ${n}`, client_name: `n${n}` },
              headers,
            }),
          ),
          servers[1].send('DELETE', path, { headers }),
          servers[0].send('DELETE', path, { headers }),
        ])
        for (const { status } of answers) expect(status).to.be.oneOf([200, 204, 401, 404, 409])
        expect(answers.slice(4).map(({ status }) => status)).to.contain(204)
        for (const server of servers) {
          expect((await server.send('GET', path, { headers })).status).to.equal(404)
          expect((await server.send('DELETE', path, { headers })).status).to.equal(204)
        }
        // Nothing holds on to a name either.
        for (const name of ['n0', 'n1', 'n2', 'n3']) {
          const { id, body } = await servers[0].register({ client_name: name })
          expect(body['client_name']).to.equal(name)
          await servers[0].oauth.clients.revoke(servers[0].instance, id, 'test')
        }
      }
    })
  })
})
