import type { OutgoingHttpHeaders } from 'node:http'
import { expect } from 'chai'
import { describe, it } from 'mocha'
import { type Answer, BANK, type IntakeServer } from '../support/intake-server.ts'
import { memoryIntake } from '../support/memory-intake.ts'

const start = memoryIntake()

const JSON_TYPE = { 'content-type': 'application/vnd.api+json' }
const GOOD = JSON.stringify({ data: { attributes: { category: 'plain', title: 't' } } })
const MALFORMED = {
  status: '400',
  code: 'malformed_json',
  title: 'Bad Request',
  detail: 'JSON input is malformed or is missing mandatory fields',
}

async function send(server: IntakeServer, body: string, headers: OutgoingHttpHeaders = JSON_TYPE) {
  return server.send('POST', '/notifications', {
    headers: { ...(await server.app()), ...headers },
    body,
  })
}

const codeOf = ({ status, errors }: Answer) => [status, errors[0]?.code]

describe('POST /notifications, refusals (notifications.md 3.5)', () => {
  it('are 401 without a token, with a challenge', async () => {
    const server = await start()
    const headers: OutgoingHttpHeaders[] = [{}, { authorization: 'Basic YTpi' }]
    for (const more of [...headers, { authorization: 'Bearer ' }]) {
      const answer = await server.send('POST', '/notifications', {
        headers: { ...JSON_TYPE, ...more },
        body: GOOD,
      })
      expect([answer.status, answer.errors]).to.deep.equal([
        401,
        [
          {
            status: '401',
            code: 'missing_token',
            title: 'Unauthorized',
            detail: 'No token in request',
          },
        ],
      ])
      expect(answer.headers['www-authenticate']).to.match(/^Bearer/)
      expect(answer.headers['content-type']).to.equal('application/vnd.api+json')
    }
  })

  it('are 401 with a token in the query or body alone (2.1)', async () => {
    const server = await start()
    const { authorization } = await server.app()
    const token = String(authorization).slice(7)
    const answer = await server.send('POST', `/notifications?bearer_token=${token}`, {
      headers: JSON_TYPE,
      body: GOOD,
    })
    expect(codeOf(answer)).to.deep.equal([401, 'missing_token'])
  })

  it('are 401 with a token that is none, or of another kind (2.2)', async () => {
    const server = await start()
    const { headers } = await server.client('io.svc.notifications', { notifications: { a: {} } })
    const token = String(headers['authorization'])
    for (const authorization of ['Bearer x', `${token}x`, 'Bearer a.b.c', `${token} ${token}`]) {
      const answer = await server.post({ authorization }, { category: 'a', title: 't' })
      expect([answer.status, answer.errors]).to.deep.equal([
        401,
        [
          {
            status: '401',
            code: 'invalid_token',
            title: 'Unauthorized',
            detail: 'Invalid JWT token',
          },
        ],
      ])
      expect(answer.headers['www-authenticate']).to.equal('Bearer error="invalid_token"')
    }
  })

  it('are 401 with a token that expired, and say so', async () => {
    const server = await start()
    const app = await server.app()
    server.clock.advance(86_400_000)
    const answer = await server.post(app, { category: 'plain', title: 't' })
    expect([answer.status, answer.errors[0]?.code, answer.errors[0]?.detail]).to.deep.equal([
      401,
      'invalid_token',
      'Expired token',
    ])
    expect(answer.headers['www-authenticate']).to.include('The access token expired')
  })

  const malformed: readonly (readonly [string, string])[] = [
    ['nothing', ''],
    ['text', 'hello'],
    ['half an object', '{"data":'],
    ['null', 'null'],
    ['an array', '[]'],
    ['a text', '"x"'],
    ['no data', '{}'],
    ['data null', '{"data":null}'],
    ['data that is an array', '{"data":[]}'],
    ['data that is a text', '{"data":"x"}'],
    ['attributes that are an array', '{"data":{"attributes":[]}}'],
    ['attributes that are a text', '{"data":{"attributes":"x"}}'],
    ['JSON nested 40 levels', `{"data":{"attributes":${'['.repeat(40)}${']'.repeat(40)}}}`],
  ]
  for (const [what, body] of malformed) {
    it(`are 400 malformed_json for ${what}`, async () => {
      const answer = await send(await start(), body)
      expect([answer.status, answer.errors]).to.deep.equal([400, [MALFORMED]])
    })
  }

  it('are 400 for what is not UTF-8', async () => {
    const server = await start()
    const body = Buffer.concat([Buffer.from('{"data":"'), Buffer.from([0xff]), Buffer.from('"}')])
    const headers = { ...(await server.app()), ...JSON_TYPE }
    const answer = await server.send('POST', '/notifications', { headers, body })
    expect([answer.status, answer.errors]).to.deep.equal([400, [MALFORMED]])
  })

  for (const title of [undefined, null, '', '  ', '\n\t']) {
    it(`are 400 for the title ${JSON.stringify(title)}`, async () => {
      const server = await start()
      const answer = await server.post(await server.app(), { category: 'plain', title })
      expect([answer.status, answer.errors]).to.deep.equal([
        400,
        [
          {
            status: '400',
            code: 'invalid_notification',
            title: 'Bad Request',
            detail: 'Notification is not valid',
            source: { pointer: '/data/attributes/title' },
          },
        ],
      ])
    })
  }

  it('are 400 without attributes', async () => {
    const answer = await send(await start(), '{"data":{}}')
    expect(codeOf(answer)).to.deep.equal([400, 'invalid_notification'])
  })

  it('are 403 where an app declares nothing', async () => {
    const server = await start()
    for (const notifications of [undefined, {}]) {
      const { notifications: _, ...app } = BANK
      server.apps.set('bank', { ...app, ...(notifications && { notifications }) })
      const answer = await server.post(await server.app(), { category: 'plain', title: 't' })
      expect([answer.status, answer.errors]).to.deep.equal([
        403,
        [
          {
            status: '403',
            code: 'no_category',
            title: 'Forbidden',
            detail: 'No category for this app',
          },
        ],
      ])
    }
  })

  for (const category of [
    undefined,
    null,
    '',
    'other',
    'broken',
    'constructor',
    1,
    {},
    ['plain'],
  ]) {
    it(`are 403 for the category ${JSON.stringify(category)}`, async () => {
      const server = await start()
      const answer = await server.post(await server.app(), { category, title: 't' })
      expect([answer.status, answer.errors]).to.deep.equal([
        403,
        [
          {
            status: '403',
            code: 'category_not_found',
            title: 'Forbidden',
            detail: 'Notification category does not exist',
          },
        ],
      ])
    })
  }

  it('are 403 where a client of its own declared nothing', async () => {
    const server = await start()
    const { headers } = await server.client('io.svc.notifications')
    const answer = await server.post(headers, { category: 'plain', title: 't' })
    expect(codeOf(answer)).to.deep.equal([403, 'category_not_found'])
  })

  it('are 404 where the linked app is not installed', async () => {
    const server = await start()
    const { headers } = await server.client('*', { software_id: 'registry://notes' })
    const answer = await server.post(headers, { category: 'plain', title: 't' })
    expect([answer.status, answer.errors]).to.deep.equal([
      404,
      [{ status: '404', code: 'app_not_found', title: 'Not Found' }],
    ])
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
    const answer = await server.post(await server.app(), { category: 'plain', title: 't' })
    expect([answer.status, answer.errors]).to.deep.equal([
      503,
      [{ status: '503', code: 'unavailable', title: 'Service Unavailable' }],
    ])
    expect(answer.headers['retry-after']).to.equal('5')
  })

  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
    it(`are 405 for ${method} on the collection`, async () => {
      const server = await start()
      const answer = await server.send(method, '/notifications', { headers: await server.app() })
      expect(answer.status).to.equal(405)
      expect(answer.headers['allow']).to.equal('POST')
    })
  }
})

describe('POST /notifications, content types (3.1)', () => {
  for (const type of [
    'application/vnd.api+json',
    'application/vnd.api+json; charset=utf-8',
    'application/json',
    'application/json;charset=UTF-8',
    undefined,
  ]) {
    it(`takes ${type ?? 'none'}`, async () => {
      const headers = type === undefined ? {} : { 'content-type': type }
      expect((await send(await start(), GOOD, headers)).status).to.equal(201)
    })
  }

  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'text/json', 'a', '']) {
    it(`answers 415 to ${JSON.stringify(type)}`, async () => {
      const answer = await send(await start(), GOOD, { 'content-type': type })
      expect([answer.status, answer.errors]).to.deep.equal([
        415,
        [{ status: '415', code: 'unsupported_media_type', title: 'Unsupported Media Type' }],
      ])
    })
  }

  it('answers 415 to an encoded body', async () => {
    const answer = await send(await start(), GOOD, { ...JSON_TYPE, 'content-encoding': 'gzip' })
    expect(answer.status).to.equal(415)
  })

  it('takes bodies of 512 KiB, and answers 413 to more (D36)', async () => {
    const server = await start()
    const body = (bytes: number) => {
      const head = '{"data":{"attributes":{"category":"plain","title":"t","unknown":"'
      return `${head}${'x'.repeat(bytes - head.length - 4)}"}}}`
    }
    expect((await send(server, body(524_288))).status).to.equal(201)
    const answer = await send(server, body(524_289))
    expect([answer.status, answer.errors]).to.deep.equal([
      413,
      [{ status: '413', code: 'payload_too_large', title: 'Content Too Large' }],
    ])
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
    const app = await server.app()
    const attributes = (fields: object) => JSON.stringify({ data: { attributes: fields } })
    const wrong = { title: 't'.repeat(600), message: 1 }
    const key = { 'idempotency-key': 'two words' }

    expect(codeOf(await to({ ...bad, authorization: 'Bearer x' }, huge))[0]).to.equal(401)
    expect(codeOf(await to({ ...bad, ...stranger.headers }, huge))[0]).to.equal(403)
    expect(codeOf(await to({ ...app, ...bad }, huge))[0]).to.equal(415)
    expect(codeOf(await to({ ...app, ...JSON_TYPE }, huge))[0]).to.equal(413)
    expect(codeOf(await to({ ...app, ...JSON_TYPE }, '{'))[0]).to.equal(400)
    expect(codeOf(await to({ ...app, ...JSON_TYPE }, attributes({ message: 1 })))).to.deep.equal([
      400,
      'invalid_notification',
    ])
    expect(codeOf(await to({ ...app, ...JSON_TYPE }, attributes(wrong)))).to.deep.equal([
      403,
      'category_not_found',
    ])
    const category = { category: 'plain' }
    expect(
      codeOf(await to({ ...app, ...JSON_TYPE, ...key }, attributes({ ...wrong, ...category }))),
    ).to.deep.equal([422, 'invalid_attribute'])
    expect((await to({ ...app, ...JSON_TYPE }, GOOD)).status).to.equal(201)
    // The quota is spent: it comes before everything but token and scope.
    expect(codeOf(await to({ ...bad, authorization: 'Bearer x' }, huge))[0]).to.equal(401)
    expect(codeOf(await to({ ...bad, ...stranger.headers }, huge))[0]).to.equal(403)
    expect(codeOf(await to({ ...app, ...bad }, huge))).to.deep.equal([429, 'rate_limited'])
  })

  it('leaves nothing behind of what is refused', async () => {
    const server = await start()
    const app = await server.app()
    for (const fields of [{ title: '' }, { category: 'other' }, { at: 'x' }, { message: 1 }]) {
      const headers = { ...app, 'idempotency-key': 'one' }
      const answer = await server.post(headers, { category: 'plain', title: 't', ...fields })
      expect(answer.status).to.be.greaterThan(399)
    }
    expect(await server.records()).to.deep.equal([])
    const answer = await server.post(
      { ...app, 'idempotency-key': 'one' },
      {
        category: 'plain',
        title: 't',
      },
    )
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
