import http from 'node:http'
import type { Instance, OAuth } from '@svc/oauth-core'
import { listen, requestLoopback } from '@svc/testkit'
import Koa from 'koa'

/** Registers a client over HTTP, on a server of its own; answers its id. */
export async function registerClient(
  oauth: OAuth,
  instance: Instance,
  metadata: Readonly<Record<string, unknown>>,
): Promise<string> {
  const koa = new Koa()
  koa.use(oauth.resolveInstance())
  koa.use(oauth.mount(oauth.rows.filter(({ path }) => path === '/auth/register')))
  const server = await listen(koa)
  const agent = new http.Agent()
  try {
    const answer = await requestLoopback({ port: server.port }, agent, {
      method: 'POST',
      url: new URL('/auth/register', instance.origin),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        redirect_uris: ['https://client.example/callback'],
        client_name: 'Client',
        software_id: 'github.com/example/client',
        ...metadata,
      }),
    })
    if (answer.status !== 201) throw new Error(`${answer.status} ${answer.body.toString()}`)
    return (JSON.parse(answer.body.toString()) as { client_id: string }).client_id
  } finally {
    agent.destroy()
    await server.close()
  }
}
