import { loopbackFetch } from '@svc/testkit'
import { expect } from 'chai'
import * as standard from 'oauth4webapi'
import { oauthServer, testPages } from '../oauth-server.ts'
import { BASE, resourceServer } from '../resource-server.ts'
import { MCP, PHOTOS } from '../sample-resources.ts'

const PATH = '/.well-known/oauth-protected-resource'
const SERVER = '/.well-known/oauth-authorization-server'

describe(`GET ${PATH}`, () => {
  it('describes a resource under the configured base', async () => {
    const server = await resourceServer({ newInstance: { publicName: 'Alice' } })
    const answer = await server.send('GET', `${PATH}/mcp`, {
      headers: { 'x-forwarded-host': 'evil.example' },
    })
    expect(answer.status).to.equal(200)
    expect(answer.headers).to.include({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=300',
    })
    expect(answer.headers).not.to.have.property('vary')
    expect(answer.body).to.deep.equal({
      resource: `${BASE}/mcp`,
      authorization_servers: [BASE],
      scopes_supported: MCP.scopes,
      bearer_methods_supported: ['header'],
      resource_name: 'Alice',
    })
  })

  it('describes what is meant when a client names none, and what has a page of the operator', async () => {
    const documentation = 'https://host.example/photos'
    const server = await resourceServer({ resources: [{ ...PHOTOS, documentation }, MCP] })
    const root = await server.send('GET', PATH)
    expect(root.body).to.include({ resource: BASE, resource_name: 'alice.example.com' })
    expect(root.body['scopes_supported']).to.deep.equal(MCP.scopes)
    const photos = await server.send('GET', `${PATH}/photos/mcp`)
    expect(photos.body).to.include({
      resource: `${BASE}/photos/mcp`,
      resource_documentation: documentation,
    })
  })

  it('is only of servers that have a page to ask the owner', async () => {
    const { oauth } = await oauthServer()
    const { assistant: _, ...pages } = testPages([])
    expect(() => oauth.routes({ pages })).not.to.throw()
    expect(() => oauth.resources.add(MCP)).to.throw(TypeError, 'pages.assistant is missing')
    const other = await resourceServer()
    expect(() => other.oauth.routes({ pages })).to.throw(TypeError, 'pages.assistant is missing')
  })

  it('takes one slash behind a path', async () => {
    const server = await resourceServer()
    for (const path of ['/mcp', '/photos/mcp']) {
      const plain = await server.send('GET', `${PATH}${path}`)
      const answer = await server.send('GET', `${PATH}${path}/`)
      expect(answer.status, path).to.equal(200)
      expect(answer.body, path).to.deep.equal(plain.body)
    }
  })

  it('knows no other path, and names the domain on an alias', async () => {
    const server = await resourceServer({ newInstance: { aliases: ['www.example.net'] } })
    for (const path of ['/', '/mcp//', '/photos', '/photos/mcp/x', '/MCP']) {
      expect((await server.send('GET', `${PATH}${path}`)).status, path).to.equal(404)
    }
    expect((await server.send('GET', '/.well-known/openid-configuration')).status).to.equal(404)
    expect((await server.send('GET', `${SERVER}/mcp`)).status).to.equal(404)
    const alias = await server.send('GET', `${PATH}/mcp`, { host: 'www.example.net' })
    expect(alias.body).to.include({ resource: `${BASE}/mcp` })
  })

  it('is 404 as long as no resource is registered', async () => {
    const server = await oauthServer()
    for (const path of ['', '/mcp', '/mcp/']) {
      expect((await server.send('GET', `${PATH}${path}`)).status, path).to.equal(404)
    }
  })

  it('is read by an independent client, like the metadata of the server', async () => {
    const server = await resourceServer()
    const http = { [standard.customFetch]: loopbackFetch({ port: server.port }) }
    const resource = new URL(`${BASE}/mcp`)
    const found = await standard.processResourceDiscoveryResponse(
      resource,
      await standard.resourceDiscoveryRequest(resource, http),
    )
    const issuer = new URL(found.authorization_servers?.[0] ?? '')
    const as = await standard.processDiscoveryResponse(
      issuer,
      await standard.discoveryRequest(issuer, { ...http, algorithm: 'oauth2' }),
    )
    expect(as).to.deep.include({
      client_id_metadata_document_supported: true,
      token_endpoint_auth_methods_supported: [
        'none',
        'client_secret_post',
        'client_secret_basic',
        'private_key_jwt',
      ],
      token_endpoint_auth_signing_alg_values_supported: ['ES256', 'EdDSA', 'PS256', 'RS256'],
      revocation_endpoint_auth_methods_supported: [
        'none',
        'client_secret_post',
        'client_secret_basic',
        'private_key_jwt',
      ],
      scopes_supported: [...MCP.scopes, ...PHOTOS.scopes],
      protected_resources: [`${BASE}/mcp`, `${BASE}/photos/mcp`],
    })
  })
})

describe('oauth.resources.add', () => {
  it('refuses what is no resource', async () => {
    const { oauth } = await oauthServer()
    const wrong: readonly [object, RegExp][] = [
      [{ path: 'mcp' }, /is not a path/],
      [{ path: '/mcp/' }, /is not a path/],
      [{ path: '/' }, /is not a path/],
      [{ path: '/a?b' }, /is not a path/],
      [{ path: '/../mcp' }, /is not a path/],
      [{ scopes: ['io.svc.notes'] }, /cannot offer/],
      [{ scopes: ['io.svc.notes.sub.*:GET'] }, /cannot offer/],
      [{ scopes: ['io.svc.settings:GET'] }, /cannot offer/],
      [{ scopes: ['configs:GET'] }, /cannot offer/],
      [{ scopes: Array.from({ length: 33 }, (_, i) => `io.svc.t${i}:GET`) }, /more than 32/],
      [{ documentation: 'nowhere' }, /documentation/],
    ]
    for (const [fields, message] of wrong) {
      expect(() => oauth.resources.add({ ...MCP, ...fields }), JSON.stringify(fields)).to.throw(
        TypeError,
        message,
      )
    }
    oauth.resources.add(MCP)
    expect(() => oauth.resources.add(MCP)).to.throw(TypeError, /registered already/)
  })
})
