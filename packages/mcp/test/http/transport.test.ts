import { once } from 'node:events'
import net from 'node:net'
import { expect } from 'chai'
import { connected, HOST, legacy, mcpServer, modern, resultOf } from '../support/mcp-server.ts'

const BASE = `https://${HOST}`
const METADATA = `resource_metadata="${BASE}/.well-known/oauth-protected-resource/mcp"`
const SCOPE = 'scope="io.svc.notes:GET io.svc.contacts:GET"'
const VERSION = { 'mcp-protocol-version': '2026-07-28' }
const LIST = { ...VERSION, 'mcp-method': 'tools/list' }

/** Code of an error of the protocol. */
function codeOf({ body }: { readonly body: Record<string, unknown> }): unknown {
  return (body['error'] as { code?: unknown } | undefined)?.code
}

function initialize(protocolVersion: string): object {
  const clientInfo = { name: 'x', version: '1' }
  return legacy('initialize', { protocolVersion, capabilities: {}, clientInfo })
}

describe('the transport', () => {
  for (const path of ['/mcp', '/mcp/']) {
    it(`takes POST alone at ${path}, and challenges every method that comes without a good token`, async () => {
      const { server, token } = await connected()
      const good = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const challenges: [Record<string, string>, string | undefined][] = [
        [{}, `Bearer ${METADATA}, ${SCOPE}`],
        [{ authorization: 'Bearer x' }, `Bearer error="invalid_token", ${METADATA}, ${SCOPE}`],
        [good, undefined],
      ]
      for (const [method, status] of [
        ['POST', 401],
        ['HEAD', 401],
        ['GET', 405],
        ['DELETE', 405],
        ['PUT', 405],
        ['PATCH', 405],
      ] as const) {
        for (const [headers, challenge] of challenges) {
          if (headers === good && method === 'POST') continue
          const answer = await server.send(method, path, { headers })
          const expected = headers === good ? 405 : status
          expect(answer.status, method).to.equal(expected)
          expect(answer.headers['www-authenticate'], method).to.equal(challenge)
          expect(answer.headers['allow'], method).to.equal(expected === 405 ? 'POST' : undefined)
          expect(answer.headers['access-control-allow-origin'], method).to.equal('*')
          expect(answer.headers, method).not.to.have.property('access-control-allow-credentials')
        }
      }
      const body = JSON.stringify(legacy('tools/list'))
      expect((await server.send('POST', path, { headers: good, body })).status).to.equal(200)
    })
  }

  it('refuses origins before it looks at anything else', async () => {
    const server = await mcpServer()
    const send = (origin: string) => server.send('POST', '/mcp', { headers: { origin } })
    for (const origin of ['null', 'nonsense', 'http://evil.example', 'https://a.example/path']) {
      expect((await send(origin)).status, origin).to.equal(403)
    }
    for (const origin of ['https://claude.example', 'http://localhost:6274', 'http://[::1]:1']) {
      const answer = await send(origin)
      expect(answer.status, origin).to.equal(401)
      expect(answer.headers['access-control-allow-origin']).to.equal('*')
    }
  })

  it('takes the origins that the operator lists, and no others', async () => {
    const server = await mcpServer({ mcp: { origins: ['https://one.example'] } })
    const send = (origin: string) => server.send('POST', '/mcp', { headers: { origin } })
    expect((await send('https://one.example')).status).to.equal(401)
    expect((await send('https://two.example')).status).to.equal(403)
  })

  it('answers a preflight for any origin with the headers of the protocol', async () => {
    const server = await mcpServer()
    const answer = await server.send('OPTIONS', '/mcp', {
      headers: { origin: 'https://a.example', 'access-control-request-method': 'POST' },
    })
    expect(answer.status).to.equal(204)
    expect(answer.headers).to.include({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers':
        'Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID',
    })
    expect(answer.headers).not.to.have.property('access-control-allow-credentials')
  })

  it('looks at the token, then at media type and size, then at the JSON', async () => {
    const server = await mcpServer()
    const type = { 'content-type': 'application/json' }
    const large = 'x'.repeat(65_537)
    const send = (headers: object, body: string) =>
      server.send('POST', '/mcp', { headers: { ...headers }, body })
    for (const [headers, body] of [
      [type, 'nonsense'],
      [type, large],
      [{}, ''],
      [{ 'content-type': 'text/plain' }, '{}'],
      [{ ...type, 'content-encoding': 'gzip' }, '{}'],
    ] as const) {
      const missing = await send(headers, body)
      expect(missing.status).to.equal(401)
      expect(missing.text).to.equal('{"error":"missing_token"}')
      expect(missing.headers['www-authenticate']).to.equal(`Bearer ${METADATA}, ${SCOPE}`)
      const invalid = await send({ ...headers, authorization: 'Bearer x' }, body)
      expect(invalid.status).to.equal(401)
      expect(invalid.text).to.equal('{"error":"invalid_token"}')
      expect(invalid.headers['www-authenticate']).to.equal(
        `Bearer error="invalid_token", ${METADATA}, ${SCOPE}`,
      )
    }
    const own = { authorization: `Bearer ${await server.connect()}` }
    for (const other of ['text/plain', 'application/vnd.api+json']) {
      expect((await send({ ...own, 'content-type': other }, '{}')).status).to.equal(415)
    }
    expect((await send({ ...own, ...type }, large)).status).to.equal(413)
    const token = await server.connect()
    const broken = await server.message(token, 'nonsense')
    expect(broken.status).to.equal(400)
    expect(broken.body).to.deep.equal({
      jsonrpc: '2.0',
      error: { code: -32_700, message: 'the request is not JSON' },
      id: null,
    })
  })

  for (const bytes of [65_536, 4_000_000]) {
    it(`reads 64 KiB of ${bytes} bytes without a good token, and ends the connection`, async () => {
      const server = await mcpServer()
      const socket = net.connect(server.port, '127.0.0.1')
      let text = ''
      socket.on('data', (chunk) => {
        text += String(chunk)
      })
      socket.write(
        `POST /mcp HTTP/1.1\r\nHost: ${HOST}\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`,
      )
      socket.write('x'.repeat(65_536))
      await once(socket, 'end')
      socket.destroy()
      expect(text).to.match(/^HTTP\/1\.1 401 /)
      expect(text).to.match(/^Connection: close\r$/m)
      expect(text).to.match(/^WWW-Authenticate: Bearer resource_metadata=/m)
    })
  }

  it('says that an access token expired', async () => {
    const { server, token } = await connected()
    server.clock.advance(2 * 3_600_000)
    const answer = await server.message(token, legacy('tools/list'))
    expect(answer.status).to.equal(401)
    expect(answer.headers['www-authenticate']).to.equal(
      `Bearer error="invalid_token", ${METADATA}, ${SCOPE}, error_description="The access token expired"`,
    )
  })

  it('takes one message: no batch, no answer, nothing else', async () => {
    const { server, token } = await connected()
    const all = [[legacy('ping')], [], { jsonrpc: '2.0', id: 1, result: {} }, {}, 1, null, 'x']
    for (const message of all) {
      const answer = await server.message(token, JSON.stringify(message))
      expect(answer.status, answer.text).to.equal(400)
      expect(codeOf(answer), answer.text).to.equal(-32_600)
    }
  })

  it('takes four revisions and names them to who asks for another', async () => {
    const { server, token } = await connected()
    for (const version of ['2025-11-25', '2025-06-18', '2025-03-26']) {
      const headers = { 'mcp-protocol-version': version }
      const answer = await server.message(token, legacy('tools/list'), headers)
      expect(answer.status, answer.text).to.equal(200)
      const begun = await server.message(token, initialize(version))
      expect(begun.body).to.have.nested.property('result.protocolVersion', version)
      expect(begun.headers).not.to.have.property('mcp-session-id')
    }
    const old = await server.message(token, legacy('tools/list'), {
      'mcp-protocol-version': '2024-11-05',
    })
    expect(old.status).to.equal(400)
    expect(old.body['error']).to.deep.equal({
      code: -32_022,
      message: 'the version of the protocol is not supported',
      data: {
        supported: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'],
        requested: '2024-11-05',
      },
    })
    const future = JSON.parse(
      JSON.stringify(modern('tools/list')).replaceAll('2026-07-28', '2027-01-01'),
    ) as object
    const refused = await server.message(token, future, {
      'mcp-protocol-version': '2027-01-01',
      'mcp-method': 'tools/list',
    })
    expect(refused.status, refused.text).to.equal(400)
    expect(codeOf(refused)).to.equal(-32_022)
  })

  it('negotiates in the body of `initialize`, whatever the header says', async () => {
    const { server, token } = await connected()
    for (const header of ['2027-03-01', '2026-07-28', '2024-11-05', '2025-03-26', 'nonsense']) {
      const headers = { 'mcp-protocol-version': header }
      const begun = await server.message(token, initialize('2025-06-18'), headers)
      expect(begun.status, `${header} ${begun.text}`).to.equal(200)
      expect(begun.body).to.have.nested.property('result.protocolVersion', '2025-06-18')
    }
    const agreed = await server.message(token, initialize('2027-03-01'), {
      'mcp-protocol-version': '2027-03-01',
    })
    expect(agreed.body).to.have.nested.property('result.protocolVersion', '2025-11-25')
  })

  it('refuses headers that say something else than the body', async () => {
    const { server, token } = await connected()
    for (const headers of [
      { ...VERSION, 'mcp-method': 'tools/call' },
      { 'mcp-protocol-version': '2025-11-25', 'mcp-method': 'tools/list' },
    ]) {
      const answer = await server.message(token, modern('tools/list'), headers)
      expect(answer.status, answer.text).to.equal(400)
      expect(codeOf(answer), answer.text).to.equal(-32_020)
    }
  })

  it('has tools and nothing else', async () => {
    const { server, token } = await connected()
    for (const method of [
      'subscriptions/listen',
      'resources/list',
      'prompts/list',
      'logging/setLevel',
      'nonsense',
    ]) {
      const headers = { ...VERSION, 'mcp-method': method }
      const answer = await server.message(token, modern(method), headers)
      expect([answer.status, codeOf(answer)], method).to.deep.equal([404, -32_601])
      expect(answer.headers['content-type']).to.match(/^application\/json/)
      const older = await server.message(token, legacy(method))
      expect([older.status, codeOf(older)], method).to.deep.equal([200, -32_601])
    }
  })

  it('lists the same tools for every caller, for an hour, to be kept by anybody', async () => {
    const server = await mcpServer()
    const one = await server.message(await server.connect(), modern('tools/list'), LIST)
    const other = await server.message(
      await server.connect('io.svc.contacts:GET'),
      modern('tools/list'),
      LIST,
    )
    expect(one.text).to.equal(other.text)
    expect(one.body['result']).to.include({ ttlMs: 3_600_000, cacheScope: 'public' })
    const { tools } = one.body['result'] as { tools: Record<string, unknown>[] }
    for (const tool of tools) {
      expect(tool).to.have.nested.property('inputSchema.additionalProperties', false)
      expect(tool).to.have.nested.property('annotations.openWorldHint', false)
      expect(tool).to.include.keys('title', 'description', 'outputSchema')
    }
    expect(tools.map(({ annotations }) => annotations)).to.deep.equal(
      tools.map(({ name, title }) => ({
        title,
        readOnlyHint: !['create', 'update', 'delete'].includes(String(name)),
        destructiveHint: ['update', 'delete'].includes(String(name)),
        idempotentHint: true,
        openWorldHint: false,
      })),
    )
  })

  it('refuses unknown tools and arguments that break the schema, in fixed words', async () => {
    const { server, token } = await connected()
    for (const [name, given] of [
      ['<script>', {}],
      ['list', {}],
      ['list', { kind: 'io.svc.notes', secret: 1 }],
      ['list', { kind: 'io.svc.notes', limit: 51 }],
      ['search', { query: '' }],
      ['search', { query: 'x'.repeat(201) }],
      ['fetch', { id: 7 }],
    ] as const) {
      const answer = await server.call(token, name, given)
      expect(answer.status, answer.text).to.equal(200)
      expect(codeOf(answer), answer.text).to.equal(-32_602)
      expect(answer.text).not.to.match(/script|secret|xxx/)
    }
    expect(await server.entries()).to.deep.equal([])
  })

  it('takes tokens of its own resource alone', async () => {
    const server = await mcpServer()
    server.oauth.resources.add({
      path: '/other',
      name: 'Other',
      scopes: ['io.svc.notes:GET'],
      isOpen: true,
    })
    const foreign = await server.connect('io.svc.notes:GET', '/other')
    expect((await server.message(foreign, legacy('tools/list'))).status).to.equal(401)
    const own = await server.connect('io.svc.notes:GET')
    resultOf(await server.call(own, 'list_kinds'))
  })
})
