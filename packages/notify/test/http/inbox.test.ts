import type http from 'node:http'
import { anyStore, eachStore } from '@svc/testkit'
import { expect } from 'chai'
import { wayOutOf } from '../support/mail-bench.ts'
import { closeServers, type NotifyServer, startNotify } from '../support/notify-server.ts'
import { until } from '../support/until.ts'

interface Item {
  readonly id: string
  readonly type: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly links: { readonly self: string; readonly related?: string }
}

interface Inbox {
  readonly data: readonly Item[]
  readonly links: { readonly next?: string }
  readonly meta: { readonly unread: number }
}

describe('inbox of the owner (notifications.md 23.7)', () => {
  eachStore((open) => {
    let server: NotifyServer
    afterEach(closeServers)
    beforeEach(async () => {
      server = await startNotify({ store: (clock) => open({ clock }), isIdle: true })
    })

    async function list(query = ''): Promise<Inbox> {
      const answer = await server.send('GET', `/notifications${query}`, {
        headers: await server.app('home'),
      })
      expect(answer.status, answer.text).to.equal(200)
      return answer.json as unknown as Inbox
    }
    const titles = ({ data }: Inbox) => data.map(({ attributes }) => attributes['title'])

    async function mark(target: string, attributes: unknown) {
      const headers = await server.app('home')
      return server.send('PATCH', target, { headers, json: { data: { attributes } } })
    }

    it('lists what came, newest first, with what is unread', async () => {
      await server.post({ category: 'balance', title: 'One' })
      server.clock.advance(10)
      await server.post({
        category: 'bills',
        title: 'Two',
        data: { redirectLink: 'bank/#/bills/7' },
      })
      const inbox = await list()
      expect(titles(inbox)).to.deep.equal(['Two', 'One'])
      expect(inbox.meta.unread).to.equal(2)
      const [two] = inbox.data
      expect(two?.attributes).to.include({ read_at: null, archived_at: null, slug: 'bank' })
      expect(two?.links.related).to.equal('https://bank.alice.example.com/#/bills/7')
      expect(inbox.data[1]?.links.related).to.equal(undefined)
    })

    it('shows a scheduled one only when its time has come', async () => {
      const at = new Date(server.clock.now() + 60_000).toISOString()
      await server.post({ category: 'balance', title: 'Later', at })
      expect(titles(await list())).to.deep.equal([])
    })

    it('comes in pages, to follow by their links', async () => {
      for (const title of ['One', 'Two', 'Three']) {
        await server.post({ category: 'balance', title })
        server.clock.advance(10)
      }
      const first = await list('?page[limit]=2')
      expect(titles(first)).to.deep.equal(['Three', 'Two'])
      const next = new URL(first.links.next ?? '', server.instance.origin)
      const second = await list(next.search)
      expect(titles(second)).to.deep.equal(['One'])
      expect(second.links.next).to.equal(undefined)
    })

    it('marks as read and unread, and tells who listens', async () => {
      const id = await server.post({ category: 'balance', title: 'One' })
      const read = await mark(`/notifications/${id}`, { read: true })
      expect(read.status).to.equal(200)
      const data = (read.json as unknown as { data: Item }).data
      expect(data.attributes['read_at']).to.match(/^\d{4}-/)
      await until(() => server.events.some((event) => event.verb === 'UPDATED' && event.id === id))
      expect((await list()).meta.unread).to.equal(0)
      expect(titles(await list('?filter[unread]=true'))).to.deep.equal([])
      expect((await mark(`/notifications/${id}`, { read: false })).status).to.equal(200)
      expect((await list()).meta.unread).to.equal(1)
    })

    it('puts away what is archived, and takes it back', async () => {
      const id = await server.post({ category: 'balance' })
      expect((await mark(`/notifications/${id}`, { archived: true })).status).to.equal(200)
      expect(titles(await list())).to.deep.equal([])
      expect((await mark(`/notifications/${id}`, { archived: false })).status).to.equal(200)
      expect(titles(await list())).to.have.length(1)
    })

    it('marks all as read at once', async () => {
      for (const title of ['One', 'Two', 'Three']) await server.post({ category: 'balance', title })
      const answer = await mark('/notifications', { read: true })
      expect(answer.json['meta']).to.deep.equal({ changed: 3, unread: 0 })
      expect((await mark('/notifications', { read: false })).status).to.equal(400)
      expect((await mark('/notifications', { read: true, archived: true })).status).to.equal(400)
    })

    it('keeps a mark when the notification is delivered meanwhile', async () => {
      const ids = await Promise.all(
        Array.from({ length: 10 }, () => server.post({ category: 'balance' })),
      )
      await server.notify.start()
      const marks = await Promise.all(ids.map((id) => mark(`/notifications/${id}`, { read: true })))
      expect(marks.map(({ status }) => status)).to.deep.equal(Array(10).fill(200))
      for (const id of ids) await server.becomes(id, 'sent')
      expect((await list()).meta.unread).to.equal(0)
    })

    const wrong: readonly (readonly [target: string, body: unknown, status: number])[] = [
      ['/notifications?page[limit]=0', undefined, 400],
      ['/notifications?page[limit]=101', undefined, 400],
      ['/notifications?page[cursor]=%00', undefined, 400],
      ['/notifications?page[cursor]=nonsense', undefined, 400],
      ['/notifications?page[cursor]=W10', undefined, 400],
      [`/notifications?page[cursor]=${'a'.repeat(3000)}`, undefined, 400],
      ['/notifications?filter[unread]=maybe', undefined, 400],
      ['/notifications/unknown', { read: true }, 404],
      [`/notifications/${'0'.repeat(400)}`, { read: true }, 404],
      ['/notifications/unknown', { read: 'yes' }, 400],
      ['/notifications/unknown', {}, 400],
      ['/notifications', {}, 400],
    ]
    it('answers 400 to what makes no sense, 404 to what is not there', async () => {
      for (const [target, attributes, status] of wrong) {
        const headers = await server.app('home')
        const answer =
          attributes === undefined
            ? await server.send('GET', target, { headers })
            : await mark(target, attributes)
        expect(answer.status, `${target} ${answer.text}`).to.equal(status)
        expect(answer.headers['content-type']).to.match(/^application\/vnd\.api\+json/)
      }
    })
  })
})

const BANK = 'io.svc.apps/bank'
const BILL = { category: 'bills', title: 'Water' }

describe('notifications over HTTP, in the corners', () => {
  anyStore((open) => {
    let server: NotifyServer
    afterEach(closeServers)
    beforeEach(async () => {
      server = await startNotify({ store: (clock) => open({ clock }) })
    })

    /** Headers of a client that is linked to the bank. */
    const linked = async (more = {}) =>
      (await server.client('io.svc.files:GET', { software_id: 'registry://bank', ...more })).headers

    describe('an app and its linked clients (D30)', () => {
      it('are one for the owner’s preferences: what mutes one mutes the other', async () => {
        await server.choose({ sources: [{ id: BANK, blocked: true }] })
        await server.becomes(await server.postAs(await linked(), BILL), 'skipped')
      })

      it('appear once among what may post', async () => {
        await linked({ notifications: { own: {} } })
        const headers = await server.app('settings')
        const { text } = await server.send('GET', '/notifications/preferences', { headers })
        const { data } = JSON.parse(text) as { data: { attributes: { sources: { id: string }[] } } }
        expect(data.attributes.sources.map(({ id }) => id)).to.deep.equal([BANK])
      })

      it('end their mails together with one click', async () => {
        await server.postAs(await linked(), BILL)
        const link = wayOutOf(await server.mailbox.waitForMail())
        expect((await server.send('POST', link, { body: '' })).status).to.equal(200)
        await server.becomes(await server.post({ category: 'bills' }), 'skipped')
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
        const json = { data: { attributes: BILL } }
        for (const replayed of [undefined, 'true']) {
          const answer = await server.send('POST', '/notifications', { headers, json })
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
        const unknown = '01a20245-080b-707e-9cb2-6ba7228fe65a'
        const odd = ['x', '%00', '%0A', '%zz', 'a%2Fb', '..%2f', '%ED%A0%80', 'é'.repeat(300), '{}']
        odd.push(unknown, unknown.toUpperCase())
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
    })
  })
})
