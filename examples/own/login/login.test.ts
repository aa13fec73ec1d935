import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import { testConsentPage } from '@svc/auth-ui/testing'
import { createOAuth } from '@svc/oauth-core'
import { sqliteStore } from '@svc/store/sqlite'
import Koa from 'koa'
import { companyPages, companySessions, type CompanyLogin, userLeft } from './login.ts'

const REDIRECT = 'http://localhost:9999/done'

it('lets the users of the company allow clients, on its own page', async () => {
  const company: CompanyLogin = {
    cookie: 'company',
    find: async (value) => (value === 'a1' ? { id: 's1', user: 'user:1', since: 1 } : undefined),
    address: (returnTo) => `https://login.example.com/?back=${encodeURIComponent(returnTo)}`,
  }
  const store = sqliteStore({ file: ':memory:' })
  const oauth = createOAuth({ store, keys: [{ kid: '1', key: randomBytes(32) }] })
  oauth.useSessions(companySessions(company))
  const pages = companyPages(company)
  const app = new Koa()
  app.use(oauth.resolveInstance())
  app.use(oauth.routes({ pages }))
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const mine = await oauth.instances.create({
    domain: `alice.localhost:${port}`,
    externalId: 'user:1',
  })
  const other = await oauth.instances.create({
    domain: `bob.localhost:${port}`,
    externalId: 'user:2',
  })
  const send = (path: string, more: Sent = {}) => exchange(port, mine.domain, path, more)

  const registered = await send('/auth/register', {
    json: {
      client_name: 'Notes',
      software_id: 'notes',
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'client_secret_post',
    },
  })
  assert.equal(registered.status, 201, registered.text)
  const client = JSON.parse(registered.text) as { client_id: string; client_secret: string }
  const query = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: REDIRECT,
    state: 'xyz',
    response_type: 'code',
    scope: 'io.example.recipes:GET',
  })
  const address = `/auth/authorize?${query.toString()}`

  const stranger = await send(address)
  assert.equal(stranger.status, 302)
  assert.equal(stranger.headers.location, company.address(`http://${mine.domain}${address}`))
  // Another user of the company is nobody here.
  const there = await exchange(port, other.domain, '/auth/authorize?client_id=x', {
    cookie: 'company=a1',
  })
  assert.notEqual(there.status, 200)

  const shown = await send(address, { cookie: 'company=a1' })
  assert.equal(shown.status, 200, shown.text)
  assert.match(shown.text, /Notes.*GET: io\.example\.recipes/s)
  const form = new URLSearchParams(
    Array.from(
      shown.text.matchAll(/name="([^"]+)" value="([^"]*)"/g),
      ([, name = '', value = '']): [string, string] => [name, value.replaceAll('&amp;', '&')],
    ),
  )
  const [csrf = ''] = (shown.headers['set-cookie'] ?? []).map((each) => each.split(';')[0] ?? '')
  const cookie = `company=a1; ${csrf}`
  const forged = new URLSearchParams({ ...Object.fromEntries(form), csrf_token: 'forged' })
  assert.equal((await send('/auth/authorize', { cookie, form: forged })).status, 403)
  const foreign = { cookie, form, origin: 'https://evil.example' }
  assert.equal((await send('/auth/authorize', foreign)).status, 403)
  const allowed = await send('/auth/authorize', { cookie, form })
  assert.equal(allowed.status, 302, allowed.text)
  const back = new URL(allowed.headers.location ?? '')
  assert.equal(back.searchParams.get('state'), 'xyz')

  const token = await send('/auth/access_token', {
    form: new URLSearchParams({
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      redirect_uri: REDIRECT,
      ...client,
    }),
  })
  assert.equal(token.status, 200, token.text)
  assert.match(token.text, /"scope":"io\.example\.recipes:GET"/)

  // What a consent page owes its reader.
  const cases = await testConsentPage(pages.consent, { instance: mine })
  assert.equal(cases.length, 20)

  await userLeft(oauth, 'user:1')
  assert.equal(await oauth.instances.byExternalId('user:1'), undefined)
  await oauth.close()
  await store.close()
  server.close()
  server.closeAllConnections()
})

interface Sent {
  readonly cookie?: string
  readonly form?: URLSearchParams
  readonly json?: object
  readonly origin?: string
}

async function exchange(port: number, host: string, path: string, sent: Sent) {
  const { cookie, form, json, origin } = sent
  const body = form?.toString() ?? (json && JSON.stringify(json))
  const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded'
  const asking = request({
    port,
    host: '127.0.0.1',
    path,
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      host,
      accept: json === undefined ? 'text/html' : 'application/json',
      ...(body !== undefined && { 'content-type': type }),
      ...(cookie !== undefined && { cookie }),
      ...(origin !== undefined && { origin }),
    },
  })
  asking.end(body)
  const [response] = (await once(asking, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return { status: response.statusCode ?? 0, headers: response.headers, text }
}
