import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import { createNotify, type MailTransport } from '@svc/notify'
import { createOAuth } from '@svc/oauth-core'
import { sqliteStore } from '@svc/store/sqlite'
import { chatRoom } from './chat-room.ts'

it('delivers to the room, tries again with the same key, and falls back to mail', async () => {
  const statuses = [503, 204, 410]
  const heard: { readonly key: string; readonly text: string }[] = []
  const room = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const { text } = JSON.parse(body) as { text: string }
    heard.push({ key: String(request.headers['idempotency-key']), text })
    response.writeHead(statuses[heard.length - 1] ?? 500).end()
  })
  await once(room.listen(0, '127.0.0.1'), 'listening')
  const { port } = room.address() as AddressInfo
  const mails = Promise.withResolvers<string>()
  const transport: MailTransport = { send: async ({ subject }) => mails.resolve(subject) }
  const store = sqliteStore({ file: ':memory:' })
  const oauth = createOAuth({ store, keys: [{ kid: '1', key: randomBytes(32) }] })
  const notify = createNotify({
    oauth,
    channels: {
      mail: { transport },
      custom: [chatRoom({ roomOf: async () => `http://127.0.0.1:${port}/room` })],
    },
    channelDelays: [10],
  })
  await notify.start()
  const instance = await oauth.instances.create({
    domain: 'alice.localhost:8080',
    email: 'alice@example.com',
  })
  const post = (title: string) =>
    notify.post(instance, {
      originator: 'cli',
      category: 'news',
      title,
      message: 'Read it',
      preferredChannels: ['chat'],
    })

  const { id } = await post('First')
  while ((await notify.operator.find(instance, id))?.status !== 'sent') await tick()
  assert.deepEqual(heard, [
    { key: id, text: 'First\nRead it' },
    { key: id, text: 'First\nRead it' },
  ])
  await post('Second')
  assert.match(await mails.promise, /Second/)

  await notify.close()
  await oauth.close()
  await store.close()
  room.close()
})

const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10))
