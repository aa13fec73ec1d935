import { connect } from 'node:net'
import { once } from 'node:events'
import { expect } from 'chai'
import { testHost } from '../support/for-test.ts'
import type { TestHost } from '../support/test-host.ts'

const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8'
const METADATA = '/.well-known/oauth-authorization-server'

interface Answer {
  readonly status: number
  readonly head: string
  readonly body: string
}

/** Asks under a host that no instance has. */
async function ask(
  { host }: TestHost,
  { path = '/', name = 'localhost', accept = BROWSER, headers = [] as readonly string[] } = {},
): Promise<Answer> {
  const socket = connect(host.port, '127.0.0.1')
  let text = ''
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  const lines = [`GET ${path} HTTP/1.1`, `Host: ${name}`, `Accept: ${accept}`, 'Connection: close']
  socket.write(`${[...lines, ...headers].join('\r\n')}\r\n\r\n`)
  await once(socket, 'close')
  const [head = '', ...body] = text.split('\r\n\r\n')
  return {
    status: Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)),
    head,
    body: body.join(''),
  }
}

const NOT_FOUND = { error: 'not found', code: 'not_found' }
const NO_PAGE = 'There is no page at this address.'

/** @see operation.md 2.4 */
describe('http://localhost/', () => {
  it('lists the instances with links in development', async () => {
    const host = await testHost({}, 'alice.localhost:8080')
    await host.admin('POST', '/instances', { domain: 'bob.localhost:8080', publicName: '<b>Bob' })
    for (const name of ['localhost', 'localhost:8080', '127.0.0.1:8080', '[::1]:8080']) {
      const { status, head, body } = await ask(host, { name })
      expect(status, name).to.equal(200)
      expect(head).to.match(/^content-security-policy: default-src 'none'/im)
      expect(head).to.match(/^cache-control: no-store/im)
      expect(body).to.contain('<a href="http://alice.localhost:8080/">alice.localhost:8080</a>')
      expect(body).to.contain('<a href="http://bob.localhost:8080/">bob.localhost:8080</a>')
      expect(body).to.contain('&lt;b&gt;Bob')
    }
  })

  it('is the JSON 404 to programs all the same', async () => {
    const host = await testHost({}, 'alice.localhost:8080')
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5']) {
      const { status, body } = await ask(host, { accept })
      expect([status, JSON.parse(body)]).to.deep.equal([404, NOT_FOUND])
    }
  })

  it('says what to do where there is no instance yet', async () => {
    const host = await testHost({}, 'alice.localhost')
    await host.admin('DELETE', '/instances/alice.localhost')
    const { status, body } = await ask(host)
    expect(status).to.equal(200)
    expect(body).to.contain('svc instance create')
  })

  it('lists nothing at other paths and hosts, and nothing to what a proxy passes on', async () => {
    const host = await testHost({}, 'alice.localhost')
    for (const asked of [
      { path: '/nothing' },
      { name: 'nobody.localhost' },
      { name: 'rebound.example' },
      { headers: ['X-Forwarded-For: 203.0.113.1'] },
    ]) {
      const { status, body } = await ask(host, asked)
      expect(status, JSON.stringify(asked)).to.equal(404)
      expect(body).to.contain(NO_PAGE).and.not.contain('alice')
    }
  })

  it('lists nothing once an instance is of another domain', async () => {
    const host = await testHost({}, 'alice.localhost')
    await host.admin('POST', '/instances', { domain: 'bob.example.com' })
    const { status, body } = await ask(host)
    expect([status, body.includes(NO_PAGE), body.includes('alice')]).to.deep.equal([
      404,
      true,
      false,
    ])
  })

  it('is the instance that has this name', async () => {
    const host = await testHost({}, 'localhost')
    const { status, head } = await ask(host)
    expect(status).to.equal(302)
    expect(head).to.match(/^location: .*\/auth\/login/im)
  })

  it('leads programs to the description of the only instance', async () => {
    const host = await testHost({}, 'alice.localhost:8080')
    const only = await ask(host, { path: METADATA, accept: '*/*' })
    expect(only.status).to.equal(307)
    expect(only.head).to.match(/^location: http:\/\/alice\.localhost:8080\/\.well-known\/oauth-/im)
    await host.admin('POST', '/instances', { domain: 'bob.localhost:8080' })
    const { status, body } = await ask(host, { path: METADATA, accept: '*/*' })
    expect([status, JSON.parse(body)]).to.deep.equal([404, NOT_FOUND])
  })
})
