import assert from 'node:assert/strict'
import { pbkdf2Sync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import { createAuthUi, deriveLoginValue } from '@svc/auth-ui'
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

it('takes owners in with their hashes, and keeps nothing of a passphrase', async () => {
  const passphrase = 'nine green lanterns by the river'
  const key = pbkdf2Sync(passphrase, 'salt', 30_000, 32, 'sha256').toString('base64')
  const logged: string[] = []
  const note = (event: string, fields?: object): void => {
    logged.push(JSON.stringify({ event, ...fields }))
  }
  const log = { info: note, warn: note, error: note }
  const store = sqliteStore({ file: ':memory:' })
  const oauth = createOAuth({ store, keys: [{ kid: '1', key: randomBytes(32) }], log })
  const ui = createAuthUi({
    oauth,
    log,
    mailer: { send: async (_instance, mail) => note('mail', mail) },
  })
  oauth.useSessions(ui.sessions)
  const app = new Koa()
  app.use(oauth.resolveInstance())
  app.use(ui.routes())
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const lines = ['carol', 'dave'].map((login) => ({
    externalId: `user:${login}`,
    domain: `${login}.localhost:${port}`,
    email: `${login}@example.com`,
    ...(login === 'carol' && {
      passphrase: { over: 'passphrase' as const, hash: `pbkdf2_sha256$30000$salt$${key}` },
    }),
  }))
  const first = await ui.owners.importAll(lines)
  assert.deepEqual([first.created, first.unchanged], [2, 0])
  assert.match(first.owners[1]?.onboardingUrl ?? '', /registerToken=/)
  assert.deepEqual(
    (await ui.owners.importAll(lines)).owners.map(({ onboardingUrl }) => onboardingUrl),
    first.owners.map(({ onboardingUrl }) => onboardingUrl),
  )

  const carol = `carol.localhost:${port}`
  const { salt, KdfIterations } = JSON.parse(
    (await send(port, carol, '/public/prelogin', {})).text,
  ) as { salt: string; KdfIterations: number }
  const derived = await deriveLoginValue(passphrase, salt, KdfIterations)
  const logIn = async (passphrase_raw?: string) => {
    const form = new URLSearchParams({
      passphrase: derived,
      ...(passphrase_raw && { passphrase_raw }),
    })
    const headers = {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      origin: `http://${carol}`,
    }
    return (await send(port, carol, '/auth/login', headers, form)).status
  }
  assert.equal(await logIn(), 403)
  assert.equal(await logIn(`${passphrase}!`), 401)
  assert.equal(await logIn(passphrase), 200)
  assert.equal(await logIn(), 200)
  assert.equal(await logIn('anything, now that it is ignored'), 200)
  await ui.close()

  const kept = [...logged]
  for await (const entry of store.dump()) kept.push(JSON.stringify(entry))
  assert.ok(kept.length > 20)
  for (const secret of [passphrase, derived, 'anything, now']) {
    for (const text of [
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64'),
    ]) {
      assert.equal(kept.filter((each) => each.includes(text)).length, 0)
    }
  }
  await oauth.close()
  await store.close()
  server.close()
  server.closeAllConnections()
})

async function send(
  port: number,
  host: string,
  path: string,
  headers: Record<string, string>,
  body?: object | URLSearchParams,
): Promise<{ readonly status: number; readonly text: string }> {
  const asking = request({
    port,
    host: '127.0.0.1',
    path,
    method: body === undefined ? 'GET' : body instanceof URLSearchParams ? 'POST' : 'PATCH',
    headers: { ...headers, host },
  })
  const sent = body instanceof URLSearchParams ? body.toString() : body && JSON.stringify(body)
  asking.end(sent)
  const [response] = (await once(asking, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return { status: response.statusCode ?? 0, text }
}
