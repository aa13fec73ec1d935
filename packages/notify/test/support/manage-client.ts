import type { OAuth } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import { serveKoa } from './serve-koa.ts'

export interface ManagedClient {
  readonly id: string
  /** Sets members of its record. @throws Error when that is refused */
  put(metadata: Readonly<Record<string, unknown>>): Promise<void>
}

type Metadata = Readonly<Record<string, unknown>>

/** Registers a client over HTTP, and changes it so; each request has a server of its own. */
export async function manageClient(
  oauth: OAuth,
  instance: Instance,
  metadata: Metadata,
): Promise<ManagedClient> {
  async function send(method: 'POST' | 'PUT', path: string, json: object, token?: string) {
    const rows = oauth.rows.filter((row) => row.path.startsWith('/auth/register'))
    const server = await serveKoa(oauth.resolveInstance(), oauth.mount(rows))
    try {
      const headers = {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      }
      const answer = await server.send(method, new URL(path, instance.origin), { headers, json })
      if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`)
      return answer.json as Readonly<Record<string, string>>
    } finally {
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

/** Registers a client over HTTP; answers its id. */
export async function registerClient(...given: Parameters<typeof manageClient>): Promise<string> {
  return (await manageClient(...given)).id
}
