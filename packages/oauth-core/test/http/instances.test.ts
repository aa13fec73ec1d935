import net from 'node:net'
import { StoreUnavailableError } from '@svc/store'
import { expect } from 'chai'
import { HOST, METADATA, oauthServer, type OAuthServer } from '../oauth-server.ts'

const METADATA_PATH = '/.well-known/oauth-authorization-server'

/** Serves who was addressed, behind the package's own routes. */
function echoServer(options: Parameters<typeof oauthServer>[0] = {}) {
  return oauthServer({
    mount: (app) =>
      app.use((ctx) => {
        if (ctx.path === '/crash')
          throw Object.assign(new Error('no'), { status: 418, expose: true })
        const { instance, appSlug } = ctx.state
        ctx.body = { domain: instance.domain, ...(appSlug === undefined ? {} : { appSlug }) }
      }),
    ...options,
  })
}

/** One raw exchange; the status, or undefined when the connection was just closed. */
async function raw(server: OAuthServer, request: string): Promise<number | undefined> {
  const socket = net.connect(server.port, '127.0.0.1')
  socket.end(request)
  let answer = ''
  for await (const chunk of socket) answer += String(chunk)
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(answer) ?? []
  return status === undefined ? undefined : Number(status)
}

describe('the Host of a request', () => {
  const found: readonly (readonly [host: string, body: Readonly<Record<string, string>>])[] = [
    [HOST, { domain: HOST }],
    ['Alice.EXAMPLE.com', { domain: HOST }],
    [`${HOST}:443`, { domain: HOST }],
    [`drive.${HOST}`, { domain: HOST, appSlug: 'drive' }],
    [`my-app2.${HOST}`, { domain: HOST, appSlug: 'my-app2' }],
  ]
  it('is answered by its instance', async () => {
    const { send } = await echoServer()
    for (const [host, expected] of found) {
      const { status, body } = await send('POST', '/echo', { host })
      expect([status, body], host).to.deep.equal([200, expected])
    }
  })

  it('is 404 when no instance has it, and 400 when it is none', async () => {
    const { send } = await echoServer()
    const unknown = ['bob.example.com', `a.b.${HOST}`, `-a.${HOST}`, `${HOST}:8443`, `${HOST}.`]
    for (const host of [...unknown, `${HOST}.evil.example`, '127.0.0.1', '__proto__']) {
      for (const path of ['/echo', '/auth/register']) {
        const { status, headers, body } = await send('GET', path, { host })
        expect([status, body], host).to.deep.equal([404, { error: 'not found', code: 'not_found' }])
        expect(headers).to.include({
          'x-content-type-options': 'nosniff',
          'content-type': 'application/json; charset=utf-8',
        })
      }
    }
    for (const host of [`user@${HOST}`, `${HOST}/path`, `a b`, '[::1', 'a,b c']) {
      expect((await send('GET', '/echo', { host })).status, host).to.equal(400)
    }
  })

  it('is 400 when it is absent, empty or doubled', async () => {
    const server = await echoServer()
    for (const head of [
      'GET / HTTP/1.0\r\n',
      'GET / HTTP/1.1\r\nHost:\r\n',
      `GET / HTTP/1.1\r\nHost: ${HOST}\r\nHost: ${HOST}\r\n`,
      `GET / HTTP/1.1\r\nHost: ${HOST}\r\nhost: bob.example.com\r\n`,
    ]) {
      expect(await raw(server, `${head}Connection: close\r\n\r\n`), head).to.equal(400)
    }
  })

  it('is matched, never another header or the port', async () => {
    const { send } = await echoServer({ trustProxy: 1 })
    const headers = {
      'x-forwarded-host': 'bob.example.com',
      forwarded: 'host=bob.example.com',
      'x-host': 'bob.example.com',
      'x-original-host': 'bob.example.com',
    }
    expect((await send('GET', '/echo', { headers })).body).to.deep.equal({ domain: HOST })
    const { body } = await send('GET', METADATA_PATH, { headers })
    expect(JSON.stringify(body)).not.to.contain('bob')
    const elsewhere = { host: 'bob.example.com', headers: { 'x-forwarded-host': HOST } }
    expect((await send('GET', '/echo', elsewhere)).status).to.equal(404)
  })
})

describe('a host that no instance has', () => {
  const host = 'nobody.example.com'
  const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8'
  const NOT_FOUND = { error: 'not found', code: 'not_found' }

  it('is 404 with a page of its own in the language of the browser', async () => {
    const { send } = await echoServer()
    for (const [language, words] of [
      ['en', 'There is no page at this address.'],
      ['fr-CA', 'Il n’y a pas de page à cette adresse.'],
      ['de', 'Unter dieser Adresse gibt es keine Seite.'],
      ['es', 'No hay ninguna página en esta dirección.'],
      ['nl', 'There is no page at this address.'],
    ] as const) {
      const headers = { accept: BROWSER, 'accept-language': language }
      const { status, headers: got, text } = await send('GET', '/', { host, headers })
      expect([status, got['content-type']]).to.deep.equal([404, 'text/html; charset=utf-8'])
      expect(text).to.contain(words).and.not.contain(host)
      expect(got['content-security-policy']).to.contain("default-src 'none'")
      expect(got['vary']).to.contain('Accept-Language')
      expect(got).to.include({ 'cache-control': 'no-store', 'x-frame-options': 'DENY' })
    }
  })

  it('is the JSON 404 to programs, which name no HTML', async () => {
    const { send } = await echoServer()
    for (const [path, headers] of [
      ['/', {}],
      ['/', { accept: '*/*' }],
      ['/', { accept: 'application/json' }],
      ['/', { accept: 'application/json, text/html;q=0.5' }],
      ['/', { accept: BROWSER, authorization: 'Bearer x' }],
      [METADATA_PATH, { accept: BROWSER }],
    ] as const) {
      const { status, body } = await send('GET', path, { host, headers })
      expect([status, body], JSON.stringify(headers)).to.deep.equal([404, NOT_FOUND])
    }
  })

  it('shows the page for no other fault', async () => {
    const { send } = await echoServer()
    const { status, body } = await send('GET', '/', { host: 'a b', headers: { accept: BROWSER } })
    expect([status, body['code']]).to.deep.equal([400, 'invalid_request'])
  })
})

describe('the target of a request', () => {
  const targets: readonly (readonly [target: string, status: number])[] = [
    ['http://[bad/', 400],
    ['http://', 400],
    ['https://%zz/', 400],
    ['*', 400],
    ['ftp://alice.example.com/', 400],
    ['http://bob.example.com/echo', 400],
    [`http://user@${HOST}/echo`, 200],
    [`http://${HOST}/echo`, 200],
    [`http://${HOST}`, 200],
  ]
  it('may be absolute when it is of the Host, and is 400 when it is none', async () => {
    const server = await echoServer()
    for (const [target, expected] of targets) {
      const request = `OPTIONS ${target} HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`
      expect(await raw(server, request), target).to.equal(expected)
    }
  })

  it('with malformed paths is no 5xx', async () => {
    const server = await echoServer()
    for (const path of ['/%', '/%ff', '/%00', '/\u00ff', '/?%', `/${'a'.repeat(8000)}`, '//']) {
      const { status } = await server.send('GET', encodeURI(path).replaceAll('%25', '%'))
      expect(status, path).to.be.below(500)
    }
  })
})

describe('an instance that is not in service', () => {
  it('answers 503 everywhere when it is blocked, as a page where pages are wanted', async () => {
    const { send, oauth, instance } = await echoServer()
    await oauth.instances.update(instance.id, { status: 'blocked' })
    for (const [host, path] of [
      [HOST, '/echo'],
      [HOST, '/auth/authorize'],
      [`drive.${HOST}`, '/'],
    ] as const) {
      const json = await send('GET', path, { host, headers: { accept: 'application/json' } })
      expect(json.status).to.equal(503)
      expect(json.body).to.deep.equal({ error: 'the instance is blocked', code: 'blocked' })
      const page = await send('GET', path, { host, headers: { accept: 'text/html' } })
      expect(page.status).to.equal(503)
      expect(page.headers['content-type']).to.contain('text/html')
      expect(page.text).to.contain('the instance is blocked')
    }
    await oauth.instances.update(instance.id, { status: 'active' })
    expect((await send('GET', '/echo')).status).to.equal(200)
  })

  it('answers 404 while it is being removed', async () => {
    const { send, oauth, instance } = await echoServer()
    oauth.instances.onRemove(async () => {
      expect((await send('GET', '/echo')).status).to.equal(404)
    })
    await oauth.instances.remove(instance.id)
    expect((await send('GET', '/echo')).status).to.equal(404)
  })

  it('takes its clients along when it is removed', async () => {
    const server = await echoServer()
    const client = await server.register()
    await server.oauth.instances.remove(server.instance.id)
    await server.oauth.instances.create({ domain: HOST })
    const path = `/auth/register/${client.id}`
    const { status } = await server.send('GET', path, { headers: server.bearer(client.token) })
    expect(status).to.equal(404)
    expect(server.events.at(-1)).to.deep.include({ name: 'client.deleted' })
  })

  it('answers 503 with Retry-After when the store does not', async () => {
    const server = await echoServer({ mayCrash: true })
    const { get } = server.store
    server.clock.advance(5000)
    server.store.get = () => Promise.reject(new StoreUnavailableError('down'))
    for (const host of [HOST, 'bob.example.com']) {
      const { status, headers } = await server.send('GET', '/echo', { host })
      expect(status).to.equal(503)
      expect(headers).to.have.property('retry-after')
    }
    server.store.get = get
    expect((await server.send('GET', '/echo')).status).to.equal(200)
  })
})

describe('an alias', () => {
  const aliased = () => echoServer({ newInstance: { aliases: ['old.example.net'] } })
  const host = 'old.example.net'

  it('answers pages with 302 to the same path on the domain', async () => {
    const { send } = await aliased()
    for (const [method, path] of [
      ['GET', '/auth/authorize?client_id=a&state=%20%c3%a9+b&x'],
      ['HEAD', '/auth/authorize'],
      ['GET', '/'],
      ['GET', '//evil.example/x'],
      ['GET', '/some/page?a=b'],
    ] as const) {
      const { status, headers } = await send(method, path, { host })
      expect(status, path).to.equal(302)
      expect(headers['location']).to.equal(`https://${HOST}${path}`)
      expect(headers['cache-control']).to.equal('no-store')
    }
  })

  it('serves JSON and bearer endpoints, which name the domain', async () => {
    const server = await aliased()
    const metadata = await server.send('GET', METADATA_PATH, { host })
    expect(metadata.body['issuer']).to.equal(`https://${HOST}`)
    const client = await server.register({}, host)
    const path = `/auth/register/${client.id}`
    const headers = server.bearer(client.token)
    expect((await server.send('GET', path, { host, headers })).status).to.equal(201)
    expect((await server.send('GET', path, { headers })).status).to.equal(201)
    const resource = await server.send('GET', '/echo', { host, headers })
    expect(resource.body).to.deep.equal({ domain: HOST })
    const accept = { accept: 'application/json' }
    expect((await server.send('GET', '/echo', { host, headers: accept })).status).to.equal(200)
    expect((await server.send('POST', '/echo', { host })).status).to.equal(200)
  })

  it('sends app pages to the app host of the domain, and has no other', async () => {
    const { send } = await aliased()
    const app = `drive.${host}`
    const page = await send('GET', '/folder?a=b', { host: app })
    expect(page.status).to.equal(302)
    expect(page.headers['location']).to.equal(`https://drive.${HOST}/folder?a=b`)
    expect((await send('POST', '/folder', { host: app })).status).to.equal(404)
  })
})

describe('an app host', () => {
  it('has none of the paths of this interface, and no CORS header', async () => {
    const server = await oauthServer()
    const host = `settings.${HOST}`
    const headers = { ...(await server.appHeaders('settings')), origin: `https://${host}` }
    for (const { method, path } of server.oauth.rows) {
      const target = path.replace(':clientId', 'x')
      for (const each of [method, 'OPTIONS']) {
        const answer = await server.send(each, target, { host, headers })
        expect(answer.status, `${each} ${path}`).to.equal(404)
        expect(Object.keys(answer.headers).join()).not.to.contain('access-control')
      }
    }
  })

  it('lets nobody behind answer a path of this interface, however it is spelled', async () => {
    const { oauth, send } = await echoServer()
    const host = `drive.${HOST}`
    for (const { path } of oauth.rows) {
      const target = path.replaceAll(/:\w+/g, 'x')
      const [, first = '', rest = ''] = /^\/([^/]+)(.*)$/.exec(target) ?? []
      for (const spelling of [
        target,
        `/${first.toUpperCase()}${rest}`,
        `//${first}/${rest}`,
        `/%${first.charCodeAt(0).toString(16)}${first.slice(1)}${rest}`,
      ]) {
        for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
          const answer = await send(method, spelling, { host })
          expect(answer.status, `${method} ${spelling}`).to.equal(404)
          expect(Object.keys(answer.headers).join()).not.to.contain('access-control')
        }
      }
    }
    expect((await send('GET', '/', { host })).status).to.equal(200)
    expect((await send('GET', '/authority', { host })).status).to.equal(200)
  })

  it('may not use the passkeys of the instance, whatever it answers', async () => {
    const { send } = await echoServer({ mayCrash: true })
    const host = `drive.${HOST}`
    const policy = 'publickey-credentials-get=(), publickey-credentials-create=()'
    for (const path of ['/', '/auth/login', '/crash']) {
      const { headers } = await send('GET', path, { host })
      expect(headers['permissions-policy'], path).to.equal(policy)
    }
    expect((await send('GET', '/x')).headers).to.not.have.property('permissions-policy')
  })

  it('is flat when the server is', async () => {
    const { send } = await echoServer({ subdomains: 'flat' })
    const { body } = await send('GET', '/echo', { host: 'alice-drive.example.com' })
    expect(body).to.deep.equal({ domain: HOST, appSlug: 'drive' })
    expect((await send('GET', '/echo', { host: `drive.${HOST}` })).status).to.equal(404)
  })
})

describe('an instance whose base is https', () => {
  it('behind a proxy redirects pages that came by http, and refuses everything else', async () => {
    const { send } = await echoServer({ trustProxy: 1 })
    const headers = { 'x-forwarded-proto': 'http' }
    const page = await send('GET', '/page?a=b', { headers })
    expect(page.status).to.equal(302)
    expect(page.headers['location']).to.equal(`https://${HOST}/page?a=b`)
    for (const [method, path] of [
      ['POST', '/auth/register'],
      ['GET', METADATA_PATH],
      ['POST', '/page'],
    ] as const) {
      const { status, text } = await send(method, path, { headers, json: METADATA })
      expect(status, path).to.equal(400)
      expect(text).to.contain('https is required')
    }
    for (const proto of ['https', 'HTTPS', 'http, https', '']) {
      const forwarded = { 'x-forwarded-proto': proto }
      expect((await send('GET', '/page', { headers: forwarded })).status, proto).to.equal(200)
    }
  })

  it('believes no such header without a proxy', async () => {
    const { send } = await echoServer()
    const headers = { 'x-forwarded-proto': 'http' }
    expect((await send('GET', '/page', { headers })).status).to.equal(200)
  })
})

describe('an error of the application behind', () => {
  it('is answered by the application, with our headers', async () => {
    const { send } = await echoServer()
    const { status, headers } = await send('GET', '/crash')
    expect(status).to.equal(418)
    expect(headers).to.include({
      'x-content-type-options': 'nosniff',
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
    })
  })
})

/** @see decision 0209 */
describe('a path that somebody behind could take for one of the interface', () => {
  it('is 404', async () => {
    const { send } = await echoServer()
    for (const path of ['/AUTH/login', '//auth/login', '/%61uth/login', '/x/../auth/login']) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        expect((await send(method, path)).status, `${method} ${path}`).to.equal(404)
      }
    }
  })

  it('is answered behind when it is like none', async () => {
    const { send } = await echoServer()
    for (const path of ['/files/Auth', '/authority', '/.well-known/security.txt', '/public/x']) {
      expect((await send('GET', path)).status, path).to.equal(200)
    }
  })
})
