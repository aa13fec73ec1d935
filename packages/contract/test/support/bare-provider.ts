import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { afterTest } from '../../../testkit/src/after-test.ts'

/** A server of OAuth that is not ours: oidc-provider with its development pages and its store in memory; closed after the test. */
export async function bareProvider(): Promise<string> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://localhost:${(server.address() as AddressInfo).port}`
  const provider = new Provider(url, {
    scopes: ['org.example.contacts:GET', 'org.example.files:GET', 'org.example.photos:GET'],
    issueRefreshToken: () => true,
    rotateRefreshToken: false,
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_post', 'client_secret_basic'],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
    },
    features: {
      registration: { enabled: true },
      registrationManagement: { enabled: true, rotateRegistrationAccessToken: false },
      revocation: { enabled: true },
      devInteractions: { enabled: true },
    },
  })
  server.on('request', provider.callback())
  afterTest(() => {
    server.closeAllConnections()
    server.close()
  })
  return url
}
