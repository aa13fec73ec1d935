import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
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
      for (const id of ids) await until(async () => (await server.read(id))['status'] === 'sent')
      expect((await list()).meta.unread).to.equal(0)
    })

    const wrong: readonly (readonly [target: string, body: unknown, status: number])[] = [
      ['/notifications?page[limit]=0', undefined, 400],
      ['/notifications?page[limit]=101', undefined, 400],
      ['/notifications?page[cursor]=%00', undefined, 400],
      ['/notifications?page[cursor]=nonsense', undefined, 400],
      ['/notifications?filter[unread]=maybe', undefined, 400],
      ['/notifications/unknown', { read: true }, 404],
      [`/notifications/${'0'.repeat(400)}`, { read: true }, 404],
      ['/notifications/unknown', { read: 'yes' }, 400],
      ['/notifications/unknown', {}, 400],
      ['/notifications', {}, 400],
    ]
    for (const [target, attributes, status] of wrong) {
      it(`answers ${status} to ${target} ${JSON.stringify(attributes) ?? ''}`, async () => {
        const headers = await server.app('home')
        const answer =
          attributes === undefined
            ? await server.send('GET', target, { headers })
            : await mark(target, attributes)
        expect(answer.status, answer.text).to.equal(status)
        expect(answer.headers['content-type']).to.match(/^application\/vnd\.api\+json/)
      })
    }

    it('is for those who may: 401 without a token, 403 without the permission; 413 and 415', async () => {
      const id = await server.post({ category: 'balance' })
      const json = { data: { attributes: { read: true } } }
      const calls = [
        ['GET', '/notifications', {}],
        ['PATCH', '/notifications', { json }],
        ['PATCH', `/notifications/${id}`, { json }],
      ] as const
      for (const [method, target, body] of calls) {
        expect((await server.send(method, target, body)).status).to.equal(401)
        const headers = await server.app('bank')
        expect((await server.send(method, target, { ...body, headers })).status).to.equal(403)
        if (method === 'GET') continue
        const home = await server.app('home')
        const huge = { data: { attributes: { read: true, x: 'x'.repeat(70_000) } } }
        const big = await server.send(method, target, { headers: home, json: huge })
        expect(big.status).to.equal(413)
        const plain = { ...home, 'content-type': 'text/plain' }
        const text = await server.send(method, target, { headers: plain, body: '{}' })
        expect(text.status).to.equal(415)
      }
    })
  })
})
