import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { startTestHost, type TestHost } from '../support/test-host.ts'

type Document = { _id: string; _rev: string; _type: string; [name: string]: unknown }

describe('/data', () => {
  let host: TestHost
  let browser: BrowserClient
  const tokens = new Map<string, string>()

  before(async () => {
    host = await startTestHost()
    browser = await host.browser(undefined, { anonymous: true })
  })
  after(async () => {
    const { app } = host.host
    await host.stop()
    const answered = new Set(host.log.map(([event, fields]) => toAnswer(event, fields)))
    const rows = app.rows.filter(({ path }) => path.startsWith('/data/'))
    const declared = rows.flatMap((row) =>
      row.statuses.map((status) => `${row.method} ${row.path} ${status}`),
    )
    expect(declared.filter((answer) => !answered.has(answer))).to.deep.equal([])
    const isData = (answer: string): boolean => answer.includes(' /data/')
    expect([...answered].filter((a) => isData(a) && !declared.includes(a))).to.deep.equal([])
  })

  async function tokenFor(scope: string): Promise<string> {
    const token = tokens.get(scope) ?? (await host.connect(scope)).token
    tokens.set(scope, token)
    return token
  }

  async function call(
    scope: string,
    method: string,
    path: string,
    json?: unknown,
    headers: Record<string, string> = {},
  ): Promise<BrowserResponse> {
    return host.call(await tokenFor(scope), method, path, json, headers)
  }

  const all = 'io.svc.contacts'

  it('keeps the digits of integers beyond 2^53, in answers, lists and events (D97)', async () => {
    const text =
      '{"user_id":17841405822304915,"below":[{"n":-9007199254740993}],"n":9007199254740991}'
    const members = text.slice(1, -1)
    const created = await call(all, 'POST', '/data/io.svc.contacts', text)
    expect(created.status).to.equal(201)
    const { _id, _rev } = created.json<Document>()
    const path = `/data/io.svc.contacts/${_id}`
    expect(created.text).to.include(members)
    expect((await call(all, 'GET', path)).text).to.include(members)
    const next = `{"_rev":"${_rev}",${members},"more":123456789012345678901234567890}`
    expect((await call(all, 'PUT', path, next)).text).to.include(
      `${members},"more":1234567890123456`,
    )
    expect((await call(all, 'GET', '/data/io.svc.contacts')).text).to.include(
      `${members},"more":123456789012345678901234567890}`,
    )
    expect((await call(all, 'DELETE', path)).status).to.equal(204)
    const whole = await call(all, 'POST', '/data/io.svc.contacts', '17841405822304915')
    expect(whole.status).to.equal(400)
  })

  it('creates, reads, replaces and deletes a document', async () => {
    const created = await call(all, 'POST', '/data/io.svc.contacts', {
      name: 'Bob',
      _id: 'mine',
      _x: 1,
    })
    expect(created.status).to.equal(201)
    const document = created.json<Document>()
    expect(document).to.include({ _type: 'io.svc.contacts', name: 'Bob' })
    expect(document).to.have.all.keys('_id', '_type', '_rev', 'name')
    const path = `/data/io.svc.contacts/${document._id}`
    expect(created.headers['location']).to.equal(path)
    expect(created.headers['etag']).to.equal(`"${document._rev}"`)
    expect(created.headers['cache-control']).to.equal('no-store')

    const read = await call(all, 'GET', path)
    expect(read.status).to.equal(200)
    expect(read.json()).to.deep.equal(document)

    const replaced = await call(all, 'PUT', path, { _rev: document._rev, name: 'Robert' })
    expect(replaced.status).to.equal(200)
    expect(replaced.json<Document>()._rev).to.not.equal(document._rev)
    const stale = await call(all, 'PUT', path, { _rev: document._rev, name: 'Rob' })
    expect(stale.status).to.equal(409)
    const blind = await call(all, 'PUT', path, { name: 'Rob' })
    expect(blind.status).to.equal(409)

    const header = { 'if-match': `"${document._rev}"` }
    expect((await call(all, 'DELETE', path, undefined, header)).status).to.equal(409)
    expect((await call(all, 'DELETE', path)).status).to.equal(204)
    expect((await call(all, 'GET', path)).status).to.equal(404)
    expect((await call(all, 'DELETE', path)).status).to.equal(404)
  })

  it('creates a document under an id of the caller, once', async () => {
    const first = await call(all, 'PUT', '/data/io.svc.contacts/carol', { name: 'Carol' })
    expect(first.status).to.equal(201)
    const second = await call(all, 'PUT', '/data/io.svc.contacts/carol', { name: 'Carol' })
    expect(second.status).to.equal(409)
  })

  it('lets exactly one of several replacements of a revision win', async () => {
    const path = '/data/io.svc.contacts/dave'
    const { _rev } = (await call(all, 'PUT', path, { n: 0 })).json<Document>()
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => call(all, 'PUT', path, { _rev, n })),
    )
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array(7).fill(409)])
  })

  it('keeps members that other languages would trip over', async () => {
    const text = '{"__proto__":{"admin":true},"constructor":1,"toString":"x","name":"Eve"}'
    const created = await call(all, 'POST', '/data/io.svc.contacts', text)
    expect(created.status).to.equal(201)
    const { _id } = created.json<Document>()
    const read = await call(all, 'GET', `/data/io.svc.contacts/${_id}`)
    // A name that starts with `_` is the server's.
    expect(read.text).to.include('"constructor":1,"toString":"x","name":"Eve"')
    expect(read.text).to.not.include('__proto__')
    expect(({} as { admin?: boolean }).admin).to.equal(undefined)
  })

  it('lists in pages', async () => {
    const type = 'io.svc.pages'
    for (const id of ['a', 'b', 'c']) await call(type, 'PUT', `/data/${type}/${id}`, {})
    const first = (await call(type, 'GET', `/data/${type}?limit=2`)).json<{
      documents: Document[]
      cursor: string
    }>()
    expect(first.documents.map(({ _id }) => _id)).to.deep.equal(['a', 'b'])
    const rest = await call(type, 'GET', `/data/${type}?cursor=${encodeURIComponent(first.cursor)}`)
    expect(rest.json<{ documents: Document[] }>().documents.map(({ _id }) => _id)).to.deep.equal([
      'c',
    ])
    expect((await call(type, 'GET', `/data/${type}?cursor=none`)).status).to.equal(400)
    expect((await call(type, 'GET', `/data/${type}?limit=0`)).status).to.equal(400)
  })

  describe('scopes', () => {
    const type = 'io.svc.tasks'
    before(async () => {
      await call(type, 'PUT', `/data/${type}/mine`, { list: 'home' })
      await call(type, 'PUT', `/data/${type}/other`, { list: 'work' })
    })

    const cases: [string, string, string, unknown, number][] = [
      [`${type}:GET`, 'GET', `/data/${type}/mine`, undefined, 200],
      [`${type}:GET`, 'POST', `/data/${type}`, {}, 403],
      [`${type}:GET`, 'PUT', `/data/${type}/mine`, {}, 403],
      [`${type}:GET`, 'DELETE', `/data/${type}/mine`, undefined, 403],
      [`${type}:GET`, 'GET', '/data/io.svc.contacts', undefined, 403],
      [`${type}:POST`, 'GET', `/data/${type}`, undefined, 403],
      [`${type}:POST`, 'POST', `/data/${type}`, {}, 201],
      [`${type}:GET,PUT:mine`, 'GET', `/data/${type}/mine`, undefined, 200],
      [`${type}:GET,PUT:mine`, 'GET', `/data/${type}/other`, undefined, 403],
      [`${type}:GET,PUT:mine`, 'GET', `/data/${type}/absent`, undefined, 403],
      [`${type}:GET,PUT:mine`, 'PUT', `/data/${type}/new`, {}, 403],
      [`${type}:ALL:home:list`, 'GET', `/data/${type}/mine`, undefined, 200],
      [`${type}:ALL:home:list`, 'GET', `/data/${type}/other`, undefined, 403],
      [`${type}:ALL:home:list`, 'POST', `/data/${type}`, { list: 'work' }, 403],
      [`${type}:ALL:home:list`, 'POST', `/data/${type}`, { list: 'home' }, 201],
      [`${type}:ALL:home:list`, 'PUT', `/data/${type}/other`, { list: 'home' }, 403],
      [`${type}:ALL:home:list`, 'DELETE', `/data/${type}/other`, undefined, 403],
    ]
    for (const [scope, method, path, body, status] of cases) {
      it(`answers ${status} to ${method} ${path} ${JSON.stringify(body) ?? ''} with ${scope}`, async () => {
        const answer = await call(scope, method, path, body)
        expect(answer.status).to.equal(status)
        if (status !== 403) return
        expect(answer.json()).to.deep.equal({ error: 'insufficient_scope' })
        expect(answer.headers['www-authenticate']).to.equal('Bearer error="insufficient_scope"')
      })
    }

    it('lists only what a rule covers', async () => {
      const answer = await call(`${type}:GET,PUT:mine`, 'GET', `/data/${type}`)
      const { documents } = answer.json<{ documents: Document[] }>()
      expect(documents.map(({ _id }) => _id)).to.deep.equal(['mine'])
    })
  })

  const LIST = '/data/io.svc.contacts'
  const ONE = '/data/io.svc.contacts/x'
  const TEXT = { 'content-type': 'text/plain' }
  const refusals: [string, string, string, unknown, Record<string, string>, number][] = [
    ['a type in capitals', 'GET', '/data/IO.svc.contacts', undefined, {}, 400],
    ['a wildcard type', 'GET', '/data/io.svc.contacts.*', undefined, {}, 400],
    ['an id that is none', 'GET', '/data/io.svc.contacts/a:b', undefined, {}, 400],
    ['a control character', 'GET', '/data/io.svc.contacts/%00', undefined, {}, 404],
    ['an array', 'POST', LIST, [], {}, 400],
    ['a text', 'POST', LIST, '"x"', {}, 400],
    ['broken JSON', 'POST', LIST, '{', {}, 400],
    ['a revision that is no text', 'PUT', ONE, { _rev: 1 }, {}, 400],
    ['two revisions', 'PUT', ONE, { _rev: 'a' }, { 'if-match': '"b"' }, 400],
    ['a malformed If-Match', 'DELETE', `${LIST}/carol`, undefined, { 'if-match': 'x' }, 400],
    ['another content type', 'POST', LIST, '{}', TEXT, 415],
    ['a body over 64 KiB', 'POST', LIST, { text: 'x'.repeat(65_536) }, {}, 413],
    ['a PUT over 64 KiB', 'PUT', ONE, { text: 'x'.repeat(65_536) }, {}, 413],
    ['a PUT of another type', 'PUT', ONE, 'text', TEXT, 415],
    ['another method', 'PATCH', ONE, {}, {}, 405],
    ['a longer path', 'GET', '/data/io.svc.contacts/a/b', undefined, {}, 404],
  ]
  for (const [what, method, path, body, headers, status] of refusals) {
    it(`answers ${status} to ${what}`, async () => {
      const answer = await call(all, method, path, body, headers)
      expect(answer.status).to.equal(status)
    })
  }

  const tokenless: readonly (readonly [method: string, path: string])[] = [
    ['GET', '/data/io.svc.contacts'],
    ['POST', '/data/io.svc.contacts'],
    ['GET', '/data/io.svc.contacts/x'],
    ['PUT', '/data/io.svc.contacts/x'],
    ['DELETE', '/data/io.svc.contacts/x'],
  ]
  for (const [method, path] of tokenless) {
    it(`answers 401 to ${method} ${path} without a token`, async () => {
      const isWrite = method === 'POST' || method === 'PUT'
      const answer = await browser.request(method, path, {
        credentials: false,
        ...(isWrite && { headers: { 'content-type': 'application/json' }, body: '{}' }),
      })
      expect(answer.status).to.equal(401)
      expect(answer.json()).to.deep.equal({ error: 'missing_token' })
    })
  }

  it('can be used by pages of other origins without credentials, by own apps with them', async () => {
    const own = host.app('home')
    const preflight = await browser.request('OPTIONS', '/data/io.svc.contacts/x', {
      headers: { origin: own, 'access-control-request-method': 'PUT' },
    })
    expect(preflight.status).to.equal(204)
    expect(preflight.headers['access-control-allow-origin']).to.equal(own)
    expect(preflight.headers['access-control-allow-credentials']).to.equal('true')
    expect(preflight.headers['access-control-allow-methods']).to.equal('GET, PUT, DELETE')
    const other = await call(all, 'GET', '/data/io.svc.contacts', undefined, {
      origin: 'https://other.example',
    })
    expect(other.headers['access-control-allow-origin']).to.equal('*')
    expect(other.headers).to.not.have.property('access-control-allow-credentials')
  })
})

/** What a line of the log says was answered; empty when it is about something else. */
function toAnswer(event: string, fields: Readonly<Record<string, unknown>> = {}): string {
  const { method, route, status } = fields
  return event === 'http.request' ? `${String(method)} ${String(route)} ${String(status)}` : ''
}
