import http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { createGate, type Gate } from '../gate.ts'
import type {
  PlainAnswer,
  Provider,
  ProviderEndpoint,
  ProviderOptions,
  ScriptedAnswer,
} from './provider.ts'
import { createProviderAnswers } from './provider-answers.ts'
import { createProviderGrants } from './provider-grants.ts'
import { type ProviderRequest, readProviderRequest } from './provider-requests.ts'

const PATHS: Readonly<Record<string, ProviderEndpoint>> = {
  '/authorize': 'authorize',
  '/token': 'token',
  '/revoke': 'revoke',
  '/jwks': 'jwks',
  '/.well-known/oauth-authorization-server': 'metadata',
  '/.well-known/openid-configuration': 'metadata',
}

/**
 * Starts a provider: `/authorize` allows everything at once and redirects with a code; `/token` checks client, code,
 * `redirect_uri` and PKCE and rotates refresh tokens; `/revoke`, well-known documents and keys. A host may put pages of
 * its own before them.
 */
export async function openProvider(options: ProviderOptions = {}): Promise<Provider> {
  const { clientId = 'client-1', clientSecret = 'secret-1', expiresIn = 3600 } = options
  const { tls, hostname = '127.0.0.1', clock = { now: () => Date.now() } } = options
  const grants = createProviderGrants({
    isRotating: options.isRotating ?? true,
    expiresIn,
    now: clock.now,
  })
  let origin = ''
  const { answer, idToken } = await createProviderAnswers(
    { ...options, clientId, clientSecret, expiresIn, now: clock.now },
    grants,
    () => origin,
  )
  const requests: ProviderRequest[] = []
  const scripts = new Map<ProviderEndpoint, ScriptedAnswer[]>([
    ['token', [...(options.answers ?? [])]],
  ])
  const gates = new Map<ProviderEndpoint, Gate>()

  const server =
    tls === undefined ? http.createServer(listener) : https.createServer({ ...tls }, listener)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  // A TCP server's address is an object; a string is only given for pipes.
  const { port } = server.address() as AddressInfo
  origin = `${tls === undefined ? 'http' : 'https'}://${hostname}:${port}`

  function listener(request: http.IncomingMessage, response: http.ServerResponse): void {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error))
  }

  async function serve(
    incoming: http.IncomingMessage,
    response: http.ServerResponse,
  ): Promise<void> {
    const request = await readProviderRequest(incoming, origin)
    requests.push(request)
    const page = options.pages?.(request, { grants, origin })
    if (page !== undefined) return send(response, page)
    const endpoint = PATHS[request.path]
    if (endpoint === undefined) return send(response, { status: 404 })
    await gates.get(endpoint)?.pass()
    const scripted = scripts.get(endpoint)?.shift()
    if (typeof scripted === 'function') return await scripted(request, response)
    send(response, scripted ?? (await answer[endpoint](request)))
  }

  return {
    port,
    origin,
    entry: {
      client_id: clientId,
      ...(clientSecret !== null && { client_secret: clientSecret }),
      auth_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      revocation_endpoint: `${origin}/revoke`,
    },
    requests,
    requestsOf: (endpoint) => requests.filter(({ path }) => PATHS[path] === endpoint),
    script: (endpoint, ...answers) => {
      scripts.set(endpoint, [...(scripts.get(endpoint) ?? []), ...answers])
    },
    hold: (endpoint) => {
      const gate = createGate()
      gates.set(endpoint, gate)
      return gate
    },
    grants,
    idToken,
    close: async () => {
      for (const gate of gates.values()) gate.open()
      await new Promise<void>((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)))
        server.closeAllConnections()
      })
    },
  }
}

function send(response: http.ServerResponse, answer: PlainAnswer): void {
  const { status = 200, headers = {}, body = '' } = answer
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body)
  response.writeHead(status, {
    ...(!isRaw && { 'content-type': 'application/json' }),
    'cache-control': 'no-store',
    ...headers,
  })
  response.end(isRaw ? body : JSON.stringify(body))
}
