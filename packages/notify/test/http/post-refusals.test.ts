import type { OutgoingHttpHeaders } from 'node:http'
import { expect } from 'chai'
import { describe, it } from 'mocha'
import { expectRefusal } from '../support/expect-refusal.ts'
import { type Answer, BANK, type IntakeServer } from '../support/intake-server.ts'
import { memoryIntake } from '../support/memory-intake.ts'

const start = memoryIntake()

const JSON_TYPE = { 'content-type': 'application/vnd.api+json' }
const PLAIN = { category: 'plain', title: 't' }
const GOOD = JSON.stringify({ data: { attributes: PLAIN } })
async function send(
  server: IntakeServer,
  body: string | Uint8Array,
  headers: OutgoingHttpHeaders = JSON_TYPE,
) {
  return server.send('POST', '/notifications', {
    headers: { ...(await server.app()), ...headers },
    body,
  })
}

const codeOf = ({ status, errors }: Answer) => [status, errors[0]?.code]

describe('POST /notifications, refusals (notifications.md 3.5)', () => {
  it('are 401 without a token in a header, with a challenge (2.1)', async () => {
    const server = await start()
    const token = String((await server.app())['authorization']).slice(7)
    const requests: readonly (readonly [query: string, headers: OutgoingHttpHeaders])[] = [
      ['', {}],
      ['', { authorization: 'Basic YTpi' }],
      ['', { authorization: 'Bearer ' }],
      [`?bearer_token=${token}`, {}],
    ]
    for (const [query, more] of requests) {
      const headers = { ...JSON_TYPE, ...more }
      const answer = await server.send('POST', `/notifications${query}`, { headers, body: GOOD })
      expectRefusal(answer, 401, 'missing_token')
      expect(answer.headers['www-authenticate']).to.match(/^Bearer/)
      expect(answer.headers['content-type']).to.equal('application/vnd.api+json')
    }
  })

  it('are 401 with a token that is none, or of another kind (2.2)', async () => {
    const server = await start()
    const { headers } = await server.client('io.svc.notifications', { notifications: { a: {} } })
    const token = String(headers['authorization'])
    for (const authorization of ['Bearer x', `${token}x`, 'Bearer a.b.c', `${token} ${token}`]) {
      const answer = await server.post({ authorization }, { category: 'a', title: 't' })
      expectRefusal(answer, 401, 'invalid_token')
      expect(answer.headers['www-authenticate']).to.equal('Bearer error="invalid_token"')
    }
  })

  it('are 401 with a token that expired, and say so', async () => {
    const server = await start()
    server.clock.advance(86_400_000)
    const answer = await server.post(server.bank, PLAIN)
    expectRefusal(answer, 401, 'invalid_token', { detail: 'Expired token' })
    expect(answer.headers['www-authenticate']).to.include('The access token expired')
  })

  it('are 400 malformed_json for what is no document, each byte of it UTF-8', async () => {
    const server = await start()
    for (const body of [
      '',
      'hello',
      '{"data":',
      'null',
      '[]',
      '"x"',
      '{}',
      '{"data":null}',
      '{"data":[]}',
      '{"data":"x"}',
      '{"data":{"attributes":[]}}',
      '{"data":{"attributes":"x"}}',
      `{"data":{"attributes":${'['.repeat(40)}${']'.repeat(40)}}}`,
      Buffer.concat([Buffer.from('{"data":"'), Buffer.from([0xff]), Buffer.from('"}')]),
    ]) {
      expectRefusal(await send(server, body), 400, 'malformed_json')
    }
  })

  it('are 400 without a title', async () => {
    const server = await start()
    const source = { pointer: '/data/attributes/title' }
    for (const title of [undefined, null, '', '  ', '\n\t']) {
      const answer = await server.post(server.bank, { category: 'plain', title })
      expectRefusal(answer, 400, 'invalid_notification', { source })
    }
    expect(codeOf(await send(server, '{"data":{}}'))).to.deep.equal([400, 'invalid_notification'])
  })

  it('are 403 where an app declares nothing', async () => {
    const server = await start()
    for (const notifications of [undefined, {}]) {
      const { notifications: _, ...app } = BANK
      server.apps.set('bank', { ...app, ...(notifications && { notifications }) })
      expectRefusal(await server.post(server.bank, PLAIN), 403, 'no_category')
    }
  })

  it('are 403 for what is no declared category, also of a client of its own', async () => {
    const server = await start()
    const names = [undefined, null, '', 'other', 'broken', 'constructor', 1, {}, ['plain']]
    for (const category of names) {
      expectRefusal(
        await server.post(server.bank, { category, title: 't' }),
        403,
        'category_not_found',
      )
    }
    const { headers } = await server.client('io.svc.notifications')
    expectRefusal(await server.post(headers, PLAIN), 403, 'category_not_found')
  })

  it('are 404 where the linked app is not installed', async () => {
    const server = await start()
    const { headers } = await server.client('*', { software_id: 'registry://notes' })
    expectRefusal(await server.post(headers, PLAIN), 404, 'app_not_found')
  })

  it('are 503 while the store is away, and tell nothing of it', async () => {
    const server: IntakeServer = await start({
      wrapOutbox: (outbox) => ({
        ...outbox,
        async insert(...given) {
          await server.store.close()
          return outbox.insert(...given)
        },
      }),
    })
    const answer = await server.post(server.bank, PLAIN)
    expectRefusal(answer, 503, 'unavailable')
    expect(answer.headers['retry-after']).to.equal('5')
  })

  it('are 405 for other methods on the collection', async () => {
    const server = await start()
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await server.send(method, '/notifications', { headers: await server.app() })
      expect([answer.status, answer.headers['allow']]).to.deep.equal([405, 'POST'])
    }
  })
})

describe('POST /notifications, content types (3.1)', () => {
  it('are those of JSON, or none', async () => {
    const server = await start()
    const json = ['application/vnd.api+json', 'application/json']
    for (const type of [...json, `${json[0]}; charset=utf-8`, `${json[1]};charset=UTF-8`]) {
      expect((await send(server, GOOD, { 'content-type': type })).status, type).to.equal(201)
    }
    expect((await send(server, GOOD, {})).status).to.equal(201)
    const others = ['text/plain', 'application/x-www-form-urlencoded', 'text/json', 'a', '']
    for (const headers of [
      ...others.map((type) => ({ 'content-type': type })),
      { ...JSON_TYPE, 'content-encoding': 'gzip' },
    ]) {
      expectRefusal(await send(server, GOOD, headers), 415, 'unsupported_media_type')
    }
  })

  it('takes bodies of 512 KiB, and answers 413 to more (D36)', async () => {
    const server = await start()
    const body = (bytes: number) => {
      const head = '{"data":{"attributes":{"category":"plain","title":"t","unknown":"'
      return `${head}${'x'.repeat(bytes - head.length - 4)}"}}}`
    }
    expect((await send(server, body(524_288))).status).to.equal(201)
    expectRefusal(await send(server, body(524_289)), 413, 'payload_too_large')
  })
})

describe('POST /notifications, the order of its checks (3.2)', () => {
  /** Each request has every fault from its own on. */
  it('is token, scope, quota, type, size, JSON, title, category, attributes', async () => {
    const limit = { limit: 1, windowMs: 60_000 }
    const server = await start({ limits: { 'notify-post': limit } })
    const bad = { 'content-type': 'text/plain' }
    const huge = 'x'.repeat(600_000)
    const to = (headers: OutgoingHttpHeaders, body: string) =>
      server.send('POST', '/notifications', { headers, body })
    const stranger = await server.client('io.svc.files')
    const attributes = (fields: object) => JSON.stringify({ data: { attributes: fields } })
    const wrong = { title: 't'.repeat(600), message: 1 }
    const key = { 'idempotency-key': 'two words' }

    const typed = { ...server.bank, ...JSON_TYPE }
    const before: readonly (readonly [OutgoingHttpHeaders, string, number, string])[] = [
      [{ ...bad, authorization: 'Bearer x' }, huge, 401, 'invalid_token'],
      [{ ...bad, ...stranger.headers }, huge, 403, 'insufficient_scope'],
    ]
    const rows: typeof before = [
      ...before,
      [{ ...server.bank, ...bad }, huge, 415, 'unsupported_media_type'],
      [typed, huge, 413, 'payload_too_large'],
      [typed, '{', 400, 'malformed_json'],
      [typed, attributes({ message: 1 }), 400, 'invalid_notification'],
      [typed, attributes(wrong), 403, 'category_not_found'],
      [{ ...typed, ...key }, attributes({ ...wrong, category: 'plain' }), 422, 'invalid_attribute'],
    ]
    for (const [headers, body, ...code] of rows) {
      expect(codeOf(await to(headers, body))).to.deep.equal(code)
    }
    expect((await to({ ...server.bank, ...JSON_TYPE }, GOOD)).status).to.equal(201)
    // The quota is spent: it comes before everything but token and scope.
    for (const [headers, body, ...code] of before) {
      expect(codeOf(await to(headers, body))).to.deep.equal(code)
    }
    expect(codeOf(await to({ ...server.bank, ...bad }, huge))).to.deep.equal([429, 'rate_limited'])
  })

  it('leaves nothing behind of what is refused', async () => {
    const server = await start()
    for (const fields of [{ title: '' }, { category: 'other' }, { at: 'x' }, { message: 1 }]) {
      const headers = { ...server.bank, 'idempotency-key': 'one' }
      const answer = await server.post(headers, { ...PLAIN, ...fields })
      expect(answer.status).to.be.greaterThan(399)
    }
    expect(await server.records()).to.deep.equal([])
    const answer = await server.post({ ...server.bank, 'idempotency-key': 'one' }, PLAIN)
    expect(answer.status).to.equal(201)
    expect(answer.headers).not.to.have.property('idempotency-replayed')
  })
})

describe('notifications from other origins (D28)', () => {
  it('may be posted by any, with credentials only by apps of the instance', async () => {
    const server = await start()
    const preflight = (origin: string) =>
      server.send('OPTIONS', '/notifications', {
        headers: { origin, 'access-control-request-method': 'POST' },
      })
    const own = await preflight('https://bank.alice.example.com')
    expect(own.status).to.equal(204)
    expect(own.headers).to.include({
      'access-control-allow-origin': 'https://bank.alice.example.com',
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'Authorization, Content-Type, Accept, Idempotency-Key',
    })
    const other = await preflight('https://other.example')
    expect(other.headers['access-control-allow-origin']).to.equal('*')
    expect(other.headers).not.to.have.property('access-control-allow-credentials')
    const refused = await server.send('POST', '/notifications', {
      headers: { origin: 'https://other.example' },
    })
    expect(refused.status).to.equal(401)
    expect(refused.headers['access-control-allow-origin']).to.equal('*')
  })
})
