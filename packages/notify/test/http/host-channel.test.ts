import { createOAuth } from '@svc/oauth-core'
import { HOUR_MS } from '@svc/platform'
import { sqliteStore } from '@svc/store/sqlite'
import { anyStore } from '@svc/testkit'
import { expect } from 'chai'
import {
  type ChannelOutcome,
  createNotify,
  type NotificationChannel,
  type OutgoingMessage,
  smtpTransport,
} from '../../src/index.ts'
import { closeServers, type NotifyServer, startNotify } from '../support/notify-server.ts'
import { SEALING_KEYS } from '../support/test-oauth.ts'

interface Preferences {
  readonly channels: unknown
  readonly sources: readonly {
    readonly id: string
    readonly categories: readonly { readonly name: string; readonly channels: object }[]
  }[]
}

interface Room extends NotificationChannel {
  readonly messages: readonly OutgoingMessage[]
  isOpen: boolean
  answer: (message: OutgoingMessage, nth: number) => ChannelOutcome | Promise<ChannelOutcome>
}

function room(name = 'room'): Room {
  const messages: OutgoingMessage[] = []
  const channel: Room = {
    name,
    label: { en: 'Chat room', fr: 'Salon' },
    messages,
    isOpen: true,
    answer: () => ({ class: 'sent' }),
    reaches: async () => channel.isOpen,
    async deliver(message) {
      messages.push(message)
      return channel.answer(message, messages.length)
    },
  }
  return channel
}

anyStore((open) => {
  describe('a channel of the host', () => {
    let server: NotifyServer
    let chat: Room
    afterEach(closeServers)

    async function start(options: Partial<Parameters<typeof startNotify>[0]> = {}): Promise<void> {
      chat = room()
      server = await startNotify({
        store: (clock) => open({ clock }),
        custom: [chat],
        channelDelays: [20, 20, 20],
        categories: { health: { description: 'Results', sensitive: true } },
        ...options,
      })
    }

    const send = (more: object = {}): Promise<string> =>
      server.post({
        category: 'bills',
        title: 'A bill',
        message: 'Pay\u0007 it',
        preferred_channels: ['room', 'sms'],
        ...more,
      })
    const ends: NotifyServer['becomes'] = (id, status) => server.becomes(id, status)

    it('gets what a notification says, cleaned, and whom it is for', async () => {
      await start()
      const id = await send({ data: { redirectLink: 'home/#/bills' } })
      expect(await ends(id, 'sent')).to.include({ channel: 'room' })
      expect(chat.messages).to.have.length(1)
      const [{ instance, ...message } = {} as OutgoingMessage] = chat.messages
      expect(instance?.id).to.equal(server.instance.id)
      expect(message).to.deep.equal({
        idempotencyKey: id,
        locale: 'en',
        from: 'Bank',
        title: 'A bill',
        text: 'Pay it',
        link: { name: 'Home', url: 'https://home.alice.example.com/#/bills' },
        category: 'bills',
        priority: 'normal',
      })
      expect(server.texts).to.deep.equal([])
    })

    it('gets nothing of what is sensitive but that there is something', async () => {
      await start()
      const id = await send({ category: 'health', title: 'Test result', message: 'positive' })
      await ends(id, 'sent')
      expect(JSON.stringify(chat.messages.map(({ title, text }) => [title, text]))).to.not.match(
        /result|positive/,
      )
      expect(chat.messages[0]?.title).to.include('Bank')
    })

    it('says that in a language of the host, too', async () => {
      const messages = { 'push.sensitive': 'Nova mensagem de {app}' }
      await start({ locales: { pt: { messages, partial: true } } })
      await server.oauth.instances.update(server.instance.id, { locale: 'pt' })
      await ends(await send({ category: 'health', title: 'Test result' }), 'sent')
      expect(chat.messages[0]?.title).to.equal('Nova mensagem de Bank')
    })

    it('is tried again with the same key when that may help, and gives way when it cannot', async () => {
      await start()
      chat.answer = (_, nth) => {
        if (nth === 1) throw new Error('the room is down')
        return nth === 2 ? { class: 'transient', code: 'busy' } : { class: 'sent' }
      }
      const id = await send()
      expect(await ends(id, 'sent')).to.include({ channel: 'room' })
      expect(chat.messages.map(({ idempotencyKey }) => idempotencyKey)).to.deep.equal([id, id, id])
      chat.answer = () => ({ class: 'permanent', code: 'left the room: alice@example.com' })
      const other = await send({ title: 'Another' })
      expect(await ends(other, 'sent')).to.include({ channel: 'sms' })
      chat.isOpen = false
      const third = await send({ title: 'A third' })
      expect(await ends(third, 'sent')).to.include({ channel: 'sms' })
      expect(chat.messages).to.have.length(4)
      const shown = await server.notify.operator.find(server.instance, other)
      expect(JSON.stringify(shown)).to.include('bad_code').and.not.include('alice@example.com')
    })

    it('ends after its time, and the next channel has it', async () => {
      await start({ lifetimes: { attempt: 50 }, channelDelays: [] })
      let isAborted = false
      chat.deliver = (_message, signal) =>
        new Promise(() => signal.addEventListener('abort', () => (isAborted = true)))
      expect(await ends(await send(), 'sent')).to.include({ channel: 'sms' })
      expect(isAborted).to.equal(true)
    })

    it('has a limit of its own, over which the next channel is tried', async () => {
      await start({ limits: { 'notify-host': { limit: 1, windowMs: HOUR_MS } } })
      await ends(await send(), 'sent')
      const next = await send({ title: 'Another' })
      expect(await ends(next, 'sent')).to.include({ channel: 'sms' })
      const shown = await server.notify.operator.find(server.instance, next)
      expect(JSON.stringify(shown)).to.include('quota_spent')
      expect(chat.messages).to.have.length(1)
    })

    it('is switched off by the owner, in whose settings it has its name', async () => {
      await start()
      const headers = await server.app('settings')
      const { json } = await server.send('GET', '/notifications/preferences', { headers })
      const { attributes: before } = json.data as unknown as { attributes: Preferences }
      expect(before.channels).to.deep.equal([{ name: 'room', label: 'Chat room' }])
      const [source] = before.sources
      expect(source?.categories[0]?.channels).to.deep.equal({
        mobile: true,
        sms: true,
        room: true,
        mail: true,
      })
      const choose = (channels: object) =>
        server.choose({ sources: [{ id: source?.id, categories: [{ name: 'bills', channels }] }] })
      expect((await choose({ room: false })).status).to.equal(200)
      expect((await choose({ pigeon: false })).status).to.equal(422)
      expect((await choose({ 'no name': false })).status).to.equal(422)
      expect(await ends(await send(), 'sent')).to.include({ channel: 'sms' })
      expect(chat.messages).to.deep.equal([])
      expect((await choose({ room: true })).status).to.equal(200)
      expect(await ends(await send({ title: 'Another' }), 'sent')).to.include({ channel: 'room' })
    })

    it('is skipped where nobody has it, when it is posted and when it is gone', async () => {
      await start({ custom: [] })
      const id = await send({ preferred_channels: ['pigeon', 'sms'] })
      expect(await ends(id, 'sent')).to.include({ channel: 'sms' })
      expect((await server.read(id))['preferred_channels']).to.deep.equal(['pigeon', 'sms'])
      expect(await ends(await send({ preferred_channels: ['pigeon'] }), 'sent')).to.include({
        channel: 'mail',
      })
      for (const name of ['Pigeon', 'a', 'a b', 'x'.repeat(17), '__proto__']) {
        const attributes = { category: 'bills', title: 'A bill', preferred_channels: [name] }
        const answer = await server.send('POST', '/notifications', {
          headers: await server.app('bank'),
          json: { data: { attributes } },
        })
        expect(answer.status, name).to.equal(422)
      }
    })
  })
})

describe('a channel of the host, when the server starts', () => {
  it('is refused with a name, a label or a method that is not as it must be', async () => {
    const store = sqliteStore({ file: ':memory:' })
    const oauth = createOAuth({ store, keys: SEALING_KEYS })
    const mail = { transport: smtpTransport({ port: 25, disableTls: true }) }
    const make = (...custom: NotificationChannel[]) =>
      createNotify({ oauth, channels: { mail, custom } })
    for (const name of ['mail', 'Chat', 'a', 'x'.repeat(17), 'constructor', 'a b']) {
      expect(() => make(room(name)), name).to.throw(TypeError, /channels\.custom\[0\]/)
    }
    expect(() => make({ ...room(), label: { fr: 'Salon' } })).to.throw(TypeError)
    const { deliver: _deliver, ...incomplete } = room()
    expect(() => make(incomplete as Partial<Room> as NotificationChannel)).to.throw(TypeError)
    expect(() => make(room(), room())).to.throw(TypeError, /two channels named room/)
    await oauth.close()
    await store.close()
  })
})
