import http from 'node:http'
import type { OAuth } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import { listen, requestLoopback } from '@svc/testkit'
import Koa from 'koa'

export interface ManagedClient {
  readonly id: string
  /** Sets members of its record. @throws Error when that is refused */
  put(metadata: Readonly<Record<string, unknown>>): Promise<void>
}

/** Registers a client over HTTP, and changes it so; each request has a server of its own. */
export async function manageClient(
  oauth: OAuth,
  instance: Instance,
  metadata: Readonly<Record<string, unknown>>,
): Promise<ManagedClient> {
  async function send(method: 'POST' | 'PUT', path: string, json: object, token?: string) {
    const koa = new Koa()
    koa.use(oauth.resolveInstance())
    koa.use(oauth.mount(oauth.rows.filter((row) => row.path.startsWith('/auth/register'))))
    const server = await listen(koa)
    const agent = new http.Agent()
    try {
      const answer = await requestLoopback({ port: server.port }, agent, {
        method,
        url: new URL(path, instance.origin),
        body: JSON.stringify(json),
        headers: {
          'content-type': 'application/json',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
      })
      if (answer.status >= 300) throw new Error(`${answer.status} ${answer.body.toString()}`)
      return JSON.parse(answer.body.toString()) as Readonly<Record<string, string>>
    } finally {
      agent.destroy()
      await server.close()
    }
  }

  const registered = await send('POST', '/auth/register', {
    redirect_uris: ['https://client.example/callback'],
    client_name: 'Client',
    software_id: 'github.com/example/client',
    ...metadata,
  })
  const { client_id: id = '', client_secret, registration_access_token: token } = registered
  return {
    id,
    async put(changes) {
      await send('PUT', `/auth/register/${id}`, { client_id: id, client_secret, ...changes }, token)
    },
  }
}
