import { generateKeyPairSync, randomUUID } from 'node:crypto'
import type { OpenStore } from '@svc/testkit'
import { SignJWT } from 'jose'
import { documentClientId } from '../../src/clients/client-document.ts'
import type { OAuthServer } from '../oauth-server.ts'
import { codeOf, REDIRECT_URI, tokensOf } from '../client-steps.ts'
import { BASE, resourceServer } from '../resource-server.ts'
import { documentAt, documentServer } from './document-servers.ts'

/** Servers that know one document, and what it says. To be called where tests are declared. */
export function describedServers(open: OpenStore) {
  const documents = documentServer()

  async function start(
    members: object = {},
    options: Parameters<typeof resourceServer>[0] = {},
  ): Promise<{ server: OAuthServer; url: string }> {
    const url = documents().url()
    serve(members)
    const server = await resourceServer({
      openStore: (clock) => open({ clock }),
      outbound: documents().outbound,
      ...options,
    })
    return { server, url }
  }

  function serve(members: object): void {
    documents().answer = (_request, response) => {
      response.setHeader('Content-Type', 'application/json')
      const more = { redirect_uris: [REDIRECT_URI], ...members }
      response.end(JSON.stringify(documentAt(documents().url(), more)))
    }
  }

  /** A client that was allowed for 30 days, and exchanged its code with a key. */
  async function signed() {
    const signer = makeSigner()
    const { server, url } = await start(signer.members, { start: true })
    const code = codeOf(await server.allow(url, { duration: '30d' }))
    const tokens = tokensOf(await server.exchange(url, code, await signer.prove(server, url)))
    const stored = () => server.oauth.clients.get(server.instance, documentClientId(url))
    return { server, url, tokens, stored, signer, code }
  }

  return { documents, start, serve, signed }
}

/** A key: what a document says of it, and assertions that it signs. */
export function makeSigner() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const members = {
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [publicKey.export({ format: 'jwk' })] },
  }
  const prove = async (server: OAuthServer, url: string, claims: object = {}) => ({
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await new SignJWT({
      iss: url,
      sub: url,
      aud: BASE,
      jti: randomUUID(),
      exp: Math.floor(server.clock.now() / 1000) + 60,
      ...claims,
    })
      .setProtectedHeader({ alg: 'EdDSA' })
      .sign(privateKey),
  })
  return { members, prove }
}
