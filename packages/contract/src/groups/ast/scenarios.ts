import { generateKeyPairSync, sign } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { jsonOf } from '../../model/expect.ts'
import { CALLBACK, type Client, withVerifier } from '../../world/clients.ts'
import type { World } from '../../world/world.ts'
import type { Scenario } from '../group.ts'

const ELSEWHERE = { Origin: 'https://assistant.contract.example' }
const TOO_LARGE = 70 * 1024
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const ASSERTION_S = 60

/** What a server says of the resource that assistants may ask for; `undefined` where it has none. */
async function resourceOf(
  world: World,
  label: string,
): Promise<{ readonly url: string; readonly scope: string } | undefined> {
  const document = await world.send(label, '/.well-known/oauth-authorization-server')
  const { protected_resources: resources, scopes_supported: scopes } = jsonOf(document)
  if (!Array.isArray(resources) || typeof resources[0] !== 'string') return undefined
  return { url: resources[0], scope: Array.isArray(scopes) ? String(scopes[0]) : '' }
}

/** Comes to the resource of assistants as their kits do, without a token and with one. */
export const assistants: Scenario = {
  id: 'ast',
  async run(world) {
    const resource = await resourceOf(world, 'ast.server')
    if (resource === undefined) return
    const { url, scope } = resource
    const initialize = initializeAt('2025-06-18')
    const post = { method: 'POST', headers: ELSEWHERE }
    await world.send('ast.post', url, { ...post, json: initialize })
    await world.send('ast.post.text', url, {
      method: 'POST',
      headers: { 'Content-Type': 'text/plain' },
      body: '{}',
    })
    await world.send('ast.post.large', url, { ...post, json: 'x'.repeat(TOO_LARGE) })
    await world.send('ast.head', url, { method: 'HEAD' })
    await world.send('ast.get', url, { headers: ELSEWHERE })
    await world.send('ast.delete', url, { method: 'DELETE', headers: ELSEWHERE })
    await world.send('ast.slash', `${url}/`, { ...post, json: initialize })
    const { pathname } = new URL(url)
    const metadata = `/.well-known/oauth-protected-resource${pathname}`
    await world.send('ast.metadata', metadata)
    await world.send('ast.metadata.slash', `${metadata}/`)

    const { token, revocation } = await world.endpoints()
    const form = { client_id: 'nobody', token: 'x', grant_type: 'refresh_token' }
    for (const [name, endpoint] of [
      ['token', token],
      ['revocation', revocation],
    ] as const) {
      await world.send(`ast.open.${name}`, endpoint, { ...post, form })
      const secret = { ...form, client_secret: 'none-of-this-server' }
      await world.send(`ast.closed.${name}`, endpoint, { ...post, form: secret })
    }

    const client = await world.clients.shared('assistant')
    const more = { resource: world.base.origin }
    const { access } = await world.clients.tokens('ast.whole', client, { scope, more })
    await world.send('ast.initialize', url, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${access}`,
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2027-03-01',
      },
      json: initialize,
    })
  },
}

function initializeAt(protocolVersion: string): object {
  const clientInfo = { name: 'contract', version: '1' }
  const params = { protocolVersion, capabilities: {}, clientInfo }
  return { jsonrpc: '2.0', id: 1, method: 'initialize', params }
}

/**
 * Connects as a client that a document on this machine describes: only a server in development reads it. Such a client
 * stays for a while, so it goes with an instance of its own.
 */
export const keys: Scenario = {
  id: 'ast.keys',
  needs: ['passphrase', 'pages', 'fresh'],
  exclusive: 'fresh',
  async run(main) {
    const world = await main.fresh()
    const { protocol, hostname } = world.base
    const isNear = hostname === 'localhost' || hostname.endsWith('.localhost')
    if (protocol !== 'http:' || !isNear) return
    const resource = await resourceOf(world, 'ast.keys.server')
    if (resource === undefined) return
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const document = http.createServer((_request, response) => {
      response.setHeader('Content-Type', 'application/json')
      response.end(
        JSON.stringify({
          client_id: url,
          client_name: `Contract check ${world.run} by keys`,
          redirect_uris: [CALLBACK],
          token_endpoint_auth_method: 'private_key_jwt',
          token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'],
          jwks: { keys: [publicKey.export({ format: 'jwk' })] },
        }),
      )
    })
    await new Promise<void>((resolve) => document.listen(0, '127.0.0.1', resolve))
    // A TCP server's address is an object.
    const { port } = document.address() as AddressInfo
    const url = `http://localhost:${port}/client.json`

    function prove(aud: unknown): Record<string, string> {
      const header = { alg: 'ES256', typ: 'client-authentication+jwt' }
      const exp = Math.floor((performance.timeOrigin + performance.now()) / 1000) + ASSERTION_S
      const claims = { iss: url, sub: url, aud, exp, jti: world.random() }
      const text = [header, claims]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.')
      const options = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
      const signature = sign('sha256', Buffer.from(text), options).toString('base64url')
      const assertion = `${text}.${signature}`
      world.secrets.learn('client_assertion', assertion)
      return { client_assertion_type: ASSERTION_TYPE, client_assertion: assertion }
    }

    try {
      await connectByKeys(world, clientAt(url), resource.scope, prove)
    } finally {
      document.close()
      document.closeAllConnections()
    }
  },
}

function clientAt(id: string): Client {
  const nothing = { secret: '', registrationToken: '', managementUrl: '' }
  return { ...nothing, id, redirectUri: CALLBACK, name: id }
}

async function connectByKeys(
  world: World,
  client: Client,
  scope: string,
  prove: (aud: unknown) => Record<string, string>,
): Promise<void> {
  const { clients } = world
  const { token, revocation } = await world.endpoints()
  const issuer = world.base.origin
  const bare = { client_secret: undefined }
  const code = withVerifier(await clients.code('ast.keys.code', client, { scope }))
  const exchange = (label: string, aud: unknown) =>
    clients.exchange(label, client, code, { ...bare, ...prove(aud) })
  await exchange('ast.keys.endpoint', token)
  await exchange('ast.keys.both', [issuer, token])
  const { refresh: refreshToken } = clients.tokensOf(await exchange('ast.keys.list', [issuer]))
  await clients.refresh('ast.keys.bare', client, refreshToken, bare)
  await clients.refresh('ast.keys.refresh', client, refreshToken, { ...bare, ...prove(issuer) })
  const form = { client_id: client.id, token: refreshToken, ...prove(issuer) }
  await world.send('ast.keys.end', revocation, { method: 'POST', form })
}
