import type http from 'node:http'
import { anyStore } from '@svc/testkit'
import { expect } from 'chai'
import { registerClient } from '../support/register-client.ts'
import { closeServers, type NotifyServer, startNotify } from '../support/notify-server.ts'
import { until } from '../support/until.ts'

const BANK = 'io.svc.apps/bank'
const LINKED = { software_id: 'registry://bank' }
const POSTED = { data: { attributes: { category: 'bills', title: 'Water' } } }

describe('notifications over HTTP, in the corners', () => {
  anyStore((open) => {
    let server: NotifyServer
    afterEach(closeServers)
    beforeEach(async () => {
      server = await startNotify({ store: (clock) => open({ clock }) })
    })

    async function client(scope: string, metadata: object): Promise<http.OutgoingHttpHeaders> {
      const { oauth, instance } = server
      const id = await registerClient(oauth, instance, { ...metadata })
      const tokens = await oauth.clients.issueTokens(instance, id, scope)
      return { authorization: `Bearer ${tokens?.access_token}` }
    }
    async function choose(attributes: object): Promise<void> {
      const headers = await server.app('settings')
      const answer = await server.send('PATCH', '/notifications/preferences', {
        headers,
        json: { data: { attributes } },
      })
      expect(answer.status, answer.text).to.equal(200)
    }
    const statusOf = async (id: string): Promise<unknown> => (await server.read(id))['status']

    describe('an app and its linked clients (D30)', () => {
      it('are one for the owner’s preferences: what mutes one mutes the other', async () => {
        const headers = await client('io.svc.files:GET', LINKED)
        await choose({ sources: [{ id: BANK, blocked: true }] })
        const answer = await server.send('POST', '/notifications', { headers, json: POSTED })
        expect(answer.status, answer.text).to.equal(201)
        const { id } = (answer.json as unknown as { data: { id: string } }).data
        await until(async () => (await statusOf(id)) === 'skipped')
      })

      it('appear once among what may post', async () => {
        await client('io.svc.files:GET', { ...LINKED, notifications: { own: {} } })
        const headers = await server.app('settings')
        const { text } = await server.send('GET', '/notifications/preferences', { headers })
        const { data } = JSON.parse(text) as { data: { attributes: { sources: { id: string }[] } } }
        expect(data.attributes.sources.map(({ id }) => id)).to.deep.equal([BANK])
      })

      it('end their mails together with one click', async () => {
        const headers = await client('io.svc.files:GET', LINKED)
        await server.send('POST', '/notifications', { headers, json: POSTED })
        const mail = await server.mailbox.waitForMail()
        const header = mail.headers.find(({ key }) => key === 'list-unsubscribe')?.value
        const link = /<(https:[^>]+)>/.exec(header ?? '')?.[1] ?? ''
        expect((await server.send('POST', link, { body: '' })).status).to.equal(200)
        const id = await server.post({ category: 'bills' })
        await until(async () => (await statusOf(id)) === 'skipped')
      })

      it('read and cancel what the other one posted; strangers do neither', async () => {
        const linked = await client('io.svc.files:GET', LINKED)
        const stranger = await client('io.svc.notifications:POST', { notifications: { a: {} } })
        const at = new Date(server.clock.now() + 3_600_000).toISOString()
        const path = `/notifications/${await server.post({ category: 'bills', at })}`
        for (const method of ['GET', 'DELETE']) {
          const answer = await server.send(method, path, { headers: stranger })
          expect(answer.status, method).to.equal(404)
        }
        expect((await server.send('GET', path, { headers: linked })).status).to.equal(200)
        expect((await server.send('DELETE', path, { headers: linked })).status).to.equal(204)
      })
    })

    describe('what other origins may read (D28)', () => {
      const exposed = (headers: http.IncomingHttpHeaders): string[] =>
        String(headers['access-control-expose-headers']).split(', ')

      it('is where the notification is, and whether the answer is a repeated one', async () => {
        const headers = {
          ...(await server.app('bank')),
          origin: 'https://bank.alice.example.com',
          'idempotency-key': 'one',
        }
        for (const replayed of [undefined, 'true']) {
          const answer = await server.send('POST', '/notifications', { headers, json: POSTED })
          expect(answer.status).to.equal(201)
          expect(answer.headers['idempotency-replayed']).to.equal(replayed)
          expect(exposed(answer.headers)).to.include.members([
            'Idempotency-Replayed',
            'Location',
            'Retry-After',
            'WWW-Authenticate',
          ])
        }
      })
    })

    describe('requests that make no sense', () => {
      it('are 405 with every method that there is', async () => {
        const headers = await server.app('bank')
        const rows: readonly (readonly [path: string, allow: readonly string[]])[] = [
          ['/notifications', ['GET', 'PATCH', 'POST']],
          [
            `/notifications/${await server.post({ category: 'bills' })}`,
            ['DELETE', 'GET', 'PATCH'],
          ],
        ]
        for (const [path, allow] of rows) {
          const answer = await server.send('PUT', path, { headers })
          expect(answer.status, path).to.equal(405)
          const named = String(answer.headers['allow']).split(', ')
          expect(named.filter((name) => name !== 'HEAD').toSorted(), path).to.deep.equal(allow)
        }
      })

      it('are 404 for what is no id, whatever it is', async () => {
        const home = await server.app('home')
        const json = { data: { attributes: { read: true } } }
        const odd = ['x', '%00', '%0A', 'a%2Fb', '..%2f', '%ED%A0%80', 'é'.repeat(300), '{}']
        for (const id of odd) {
          const path = `/notifications/${id.replaceAll('é', '%C3%A9')}`
          for (const method of ['GET', 'PATCH', 'DELETE']) {
            const answer = await server.send(method, path, {
              headers: home,
              ...(method === 'PATCH' && { json }),
            })
            expect(answer.status, `${method} ${path.slice(0, 40)}`).to.be.oneOf([400, 404])
          }
        }
      })

      it('are 400 for a cursor of another list, or none at all', async () => {
        const headers = await server.app('home')
        for (const cursor of [
          'x',
          '%00',
          'a'.repeat(3000),
          Buffer.from('[]').toString('base64url'),
        ]) {
          const target = `/notifications?page[cursor]=${cursor}`
          expect((await server.send('GET', target, { headers })).status, target).to.equal(400)
        }
      })
    })
  })
})
