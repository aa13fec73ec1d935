import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import { createAuthUi } from '@svc/auth-ui'
import { createOAuth } from '@svc/oauth-core'
import { sqliteStore } from '@svc/store/sqlite'
import Koa from 'koa'
import { instanceOf, profileOf, Users } from './owners.ts'

it('puts a table of users in front of the instances', async () => {
  const users = new Users(':memory:')
  const store = sqliteStore({ file: ':memory:' })
  const oauth = createOAuth({ store, keys: [{ kid: '1', key: randomBytes(32) }] })
  const ui = createAuthUi({
    oauth,
    mailer: { send: async () => {} },
    profile: profileOf(users, 'https://accounts.example.com/me'),
  })
  oauth.useSessions(ui.sessions)
  const app = new Koa()
  app.use(oauth.resolveInstance())
  app.use(ui.routes())
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const host = `localhost:${port}`

  const alice = users.add({ login: 'alice', email: 'alice@example.com', name: 'Alice' })
  const made = await Promise.all(
    Array.from({ length: 5 }, () => instanceOf({ oauth, ui }, alice, host)),
  )
  assert.equal(new Set(made.map(({ id }) => id)).size, 1)
  const [instance] = made
  assert.ok(instance !== undefined)
  assert.equal((await oauth.instances.byExternalId(`user:${alice.id}`))?.id, instance.id)

  await ui.owners.setPassphrase(instance, 'seven blue kettles on the roof')
  const { cookie } = await ui.owners.createSession(instance)
  const session = `${cookie.name}=${cookie.value}`
  const settings = `settings.${instance.domain}`
  const page = await send(port, settings, '/', { cookie: session })
  const token = /data-svc-token="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const rename = (name: string) =>
    send(
      port,
      instance.domain,
      '/settings/profile',
      {
        authorization: `Bearer ${token}`,
        cookie: session,
        origin: `http://${settings}`,
        'content-type': 'application/json',
      },
      { public_name: name },
    )
  assert.equal((await rename('Admin')).status, 403)
  assert.equal(users.find(alice.id)?.name, 'Alice')
  const renamed = await rename('Alice Liddell')
  assert.equal(renamed.status, 200, renamed.text)
  assert.match(renamed.text, /"email":"https:\/\/accounts\.example\.com\/me"/)
  assert.equal(users.find(alice.id)?.name, 'Alice Liddell')

  await ui.close()
  await oauth.close()
  await store.close()
  users.close()
  server.close()
  server.closeAllConnections()
})

async function send(
  port: number,
  host: string,
  path: string,
  headers: Record<string, string>,
  body?: object,
): Promise<{ readonly status: number; readonly text: string }> {
  const asking = request({
    port,
    host: '127.0.0.1',
    path,
    method: body === undefined ? 'GET' : 'PATCH',
    headers: { ...headers, host },
  })
  asking.end(body === undefined ? undefined : JSON.stringify(body))
  const [response] = (await once(asking, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return { status: response.statusCode ?? 0, text }
}
