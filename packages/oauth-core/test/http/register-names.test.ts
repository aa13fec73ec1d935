import { expect } from 'chai'
import { oauthServer, type OAuthServer } from '../oauth-server.ts'

async function nameOf(server: OAuthServer, client_name: string): Promise<unknown> {
  return (await server.register({ client_name })).body['client_name']
}

function rename(server: OAuthServer, { id, token }: { id: string; token: string }, name: string) {
  return server.send('PUT', `/auth/register/${id}`, {
    json: { client_id: id, client_name: name },
    headers: server.bearer(token),
  })
}

describe("a client's name", () => {
  it('is made unique by the next number', async () => {
    const server = await oauthServer()
    const asked = ['foo', 'foo', 'foo', 'foo-2', 'foo', 'bar', 'foo-2', 'foo-9', 'foo', 'foo-2-2']
    const names = []
    for (const name of asked) names.push(await nameOf(server, name))
    expect(names).to.deep.equal([
      'foo',
      'foo-2',
      'foo-3',
      'foo-2-2',
      'foo-4',
      'bar',
      'foo-2-3',
      'foo-9',
      'foo-10',
      'foo-2-2-2',
    ])
  })

  it('counts on from the largest number, when others are gone', async () => {
    const server = await oauthServer()
    const clients = []
    for (let n = 0; n < 3; n += 1) clients.push(await server.register({ client_name: 'foo' }))
    await server.oauth.clients.revoke(server.instance, String(clients[1]?.id), 'test')
    expect(await nameOf(server, 'foo')).to.equal('foo-4')
  })

  it('may have 100 characters before the number', async () => {
    const server = await oauthServer()
    const name = '🎉'.repeat(100)
    expect(await nameOf(server, name)).to.equal(name)
    expect(await nameOf(server, name)).to.equal(`${name}-2`)
  })

  it('of another instance does not count', async () => {
    const server = await oauthServer()
    await server.oauth.instances.create({ domain: 'bob.example.com' })
    await server.register({ client_name: 'foo' })
    const { body } = await server.register({ client_name: 'foo' }, 'bob.example.com')
    expect(body['client_name']).to.equal('foo')
  })

  it('may be anything that ends in a number, huge ones and those with zeros too', async () => {
    const server = await oauthServer()
    for (const name of ['a-007', 'b-999999999999999', 'c-1', '-2', 'd-99999999999999999999']) {
      expect(await nameOf(server, name)).to.equal(name)
    }
    for (const [name, next] of [
      ['a', 'a-8'],
      ['b', 'b-1000000000000000'],
      ['c', 'c-2'],
      ['d', 'd-2'],
    ] as const) {
      expect(await nameOf(server, name)).to.equal(name)
      expect(await nameOf(server, name)).to.equal(next)
    }
    for (const name of ['constructor', '__proto__', 'toString']) {
      expect(await nameOf(server, name)).to.equal(name)
      expect(await nameOf(server, name)).to.equal(`${name}-2`)
    }
  })

  it('gets a number on PUT only when it changes', async () => {
    const server = await oauthServer()
    await server.register({ client_name: 'foo' })
    const second = await server.register({ client_name: 'foo' })
    expect(second.body['client_name']).to.equal('foo-2')
    // What it is called, and what its configuration says it is called.
    for (const name of ['foo-2', 'foo']) {
      expect((await rename(server, second, name)).body['client_name']).to.equal('foo-2')
    }
    const third = await server.register({ client_name: 'bar' })
    expect((await rename(server, third, 'foo')).body['client_name']).to.equal('foo-3')
    expect((await rename(server, third, 'baz')).body['client_name']).to.equal('baz')
    // The names it had are free.
    expect(await nameOf(server, 'bar')).to.equal('bar')
    expect(await nameOf(server, 'foo')).to.equal('foo-3')
  })

  it('that was claimed for a registration that failed is free', async () => {
    const server = await oauthServer({ mayCrash: true })
    const write = server.store.write.bind(server.store)
    let isBroken = true
    server.store.write = (changes, options) => {
      const isClient = changes.some(({ key }) => key.includes(':client:'))
      if (isBroken && isClient) return Promise.reject(new Error('disk full'))
      return write(changes, options)
    }
    const json = { redirect_uris: ['app://cb'], client_name: 'foo', software_id: 'x' }
    expect((await server.send('POST', '/auth/register', { json })).status).to.equal(500)
    isBroken = false
    server.clock.advance(61_000)
    expect(await nameOf(server, 'foo')).to.equal('foo')
  })
})
