import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import { createNotify, MailError } from '@svc/notify'
import { createOAuth } from '@svc/oauth-core'
import { sqliteStore } from '@svc/store/sqlite'
import { httpMail } from './http-mail.ts'

interface Taken {
  readonly headers: IncomingHttpHeaders
  readonly body: { readonly to: readonly { readonly address: string }[]; readonly subject: string }
}

it('hands mails to the provider, tries again what may pass, and tells the rest apart', async () => {
  const statuses = [503, 202, 422, 401, 500]
  const taken: Taken[] = []
  const provider = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    taken.push({ headers: request.headers, body: JSON.parse(body) as Taken['body'] })
    response.writeHead(statuses[taken.length - 1] ?? 200).end('{}')
  })
  await once(provider.listen(0, '127.0.0.1'), 'listening')
  const { port } = provider.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/v1/mails`
  const transport = httpMail({ url, token: 'secret' })

  const store = sqliteStore({ file: ':memory:' })
  const oauth = createOAuth({ store, keys: [{ kid: '1', key: randomBytes(32) }] })
  const notify = createNotify({ oauth, channels: { mail: { transport } }, channelDelays: [10] })
  await notify.start()
  const instance = await oauth.instances.create({
    domain: 'alice.localhost:8080',
    email: 'alice@example.com',
  })

  const { id } = await notify.post(instance, {
    originator: 'cli',
    category: 'news',
    title: 'Hello',
    message: 'Read it',
    preferredChannels: ['mail'],
  })
  while ((await notify.operator.find(instance, id))?.status !== 'sent') await tick()
  const [first, second] = taken
  assert.equal(taken.length, 2)
  assert.equal(first?.headers.authorization, 'Bearer secret')
  assert.equal(second?.headers['idempotency-key'], first?.headers['idempotency-key'])
  assert.equal(second?.body.to[0]?.address, 'alice@example.com')
  assert.match(second?.body.subject ?? '', /Hello/)

  // A mail that its sender waits for, such as that of a link: refused at once, and told apart.
  const send = () =>
    notify.mailer.send(instance, { template: 'onboarding', variables: { url: instance.origin } })
  const failures: unknown[] = []
  for (let at = 0; at < 3; at += 1) failures.push(await send().catch((error: unknown) => error))
  assert.deepEqual(
    failures.map((error) => error instanceof MailError && [error.failure, error.reason]),
    [
      ['permanent', 'http_422'],
      ['config', 'http_401'],
      ['transient', 'http_500'],
    ],
  )
  provider.close()
  provider.closeAllConnections()
  await once(provider, 'close')
  const away = await send().catch((error: unknown) => error)
  assert.equal(away instanceof MailError && away.reason, 'unreachable')

  await notify.close()
  await oauth.close()
  await store.close()
})

const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10))
