import { createHash } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AuthorizePages, createOAuth, type OAuth } from '@svc/oauth-core'
import type { Store } from '@svc/store'
import Koa from 'koa'
import { send } from './ask.ts'
import { REDIRECT_URI, SCOPE, VERIFIER } from './bench-server.ts'

/** The package behind Koa, with an owner who is always logged in and allows everything. */
export interface EmbeddedServer {
  readonly oauth: OAuth
  readonly koa: Koa
  readonly port: number
  close(): Promise<void>
}

/** A resource behind the guard. */
export const RESOURCE_PATH = '/bench/contacts'

/** Sealed with the same key in every process of a run. */
const SEALING_KEY = { kid: 'bench', key: Buffer.alloc(32, 7) }

/** Serves the package on 127.0.0.1, on a port that the system chooses. */
export async function startEmbedded(store: Store): Promise<EmbeddedServer> {
  const oauth = createOAuth({
    store,
    keys: [SEALING_KEY],
    apps: {
      available: async () => undefined,
      installed: async () => undefined,
      listInstalled: async () => [],
    },
  })
  oauth.useSessions({ current: async () => ({ id: 'bench', kind: 'normal', createdAt: 0 }) })
  const koa = new Koa()
  koa.use(oauth.resolveInstance())
  koa.use(oauth.routes({ pages: PAGES }))
  const guard = oauth.guard({ verb: 'GET', type: 'io.svc.contacts' })
  koa.use((ctx, next) => (ctx.path === RESOURCE_PATH ? guard(ctx, next) : next()))
  koa.use((ctx) => {
    if (ctx.path === RESOURCE_PATH) ctx.body = { contacts: [] }
  })
  const server = http.createServer(koa.callback())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // A TCP server's address is an object.
  return {
    oauth,
    koa,
    port,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await oauth.close()
    },
  }
}

const PAGES: AuthorizePages = {
  checkCsrf: () => {},
  consent: async () => {},
  error: async (ctx, error) => {
    ctx.body = error.message
  },
  login: async () => {},
  certify: async () => {},
  deprecated: async () => {},
  limit: async () => {},
  sharing: async () => {},
  outOfBand: async () => {},
}

/** Registers a client, lets the owner allow it and exchanges its code. */
export async function obtainToken(
  server: { readonly port: number },
  host: string,
): Promise<string> {
  const client = JSON.parse(
    (
      await send(server.port, host, 'POST', '/auth/register', {
        json: {
          redirect_uris: [REDIRECT_URI],
          client_name: 'Bench',
          software_id: 'github.com/example/bench',
        },
      })
    ).body,
  ) as { client_id: string; client_secret: string }
  const allowed = await send(server.port, host, 'POST', '/auth/authorize', {
    form: {
      client_id: client.client_id,
      state: 'bench',
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: SCOPE,
      code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
      code_challenge_method: 'S256',
    },
  })
  const code = new URL(allowed.location).searchParams.get('code')
  if (code === null) throw new Error(`no code: ${allowed.location}`)
  const exchanged = await send(server.port, host, 'POST', '/auth/access_token', {
    form: {
      grant_type: 'authorization_code',
      client_id: client.client_id,
      client_secret: client.client_secret,
      code,
      code_verifier: VERIFIER,
      redirect_uri: REDIRECT_URI,
    },
  })
  return (JSON.parse(exchanged.body) as { access_token: string }).access_token
}
