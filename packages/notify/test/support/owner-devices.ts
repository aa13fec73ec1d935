import http from 'node:http'
import { type AppManifest, type AuthorizePages, createOAuth, type OAuth } from '@svc/oauth-core'
import { type Instance } from '@svc/platform'
import type { Store } from '@svc/store'
import { type FakeClock, type Listening, listen } from '@svc/testkit'
import Koa from 'koa'
import { recordedLog } from './recorded-log.ts'

export interface DeviceOptions {
  readonly platform?: string
  readonly token: string
  /** @defaultValue `github.com/example/client` */
  readonly softwareId?: string
  readonly flagship?: boolean
  /** @defaultValue `true` */
  readonly isAllowed?: boolean
}

/** An instance whose owner registers devices, over HTTP as they do. */
export interface OwnerDevices {
  readonly oauth: OAuth
  readonly instance: Instance
  readonly installed: Map<string, AppManifest>
  readonly lines: readonly string[]
  /** Registers a device, a second after the last; its client's id. */
  add(options: DeviceOptions): Promise<string>
  /** Tokens that would be notified, newest first. */
  tokens(): Promise<string[]>
  close(): Promise<void>
}

const DRIVE: AppManifest = { slug: 'drive', name: 'My Drive', permissions: {}, routes: {} }
const SCOPE = 'io.svc.files:GET'

export async function openOwnerDevices(store: Store, clock: FakeClock): Promise<OwnerDevices> {
  const installed = new Map([[DRIVE.slug, DRIVE]])
  const { lines, log } = recordedLog()
  const oauth = createOAuth({
    store,
    clock,
    log,
    keys: [{ kid: 'test', key: Buffer.alloc(32, 7) }],
    apps: {
      installed: async (_, slug) => installed.get(slug),
      listInstalled: async () => [...installed.values()],
      available: async (_, slug) => installed.get(slug),
    },
    limits: { 'oauth-client': { limit: 1000, windowMs: 3_600_000 } },
  })
  oauth.useSessions({ current: async () => undefined })
  const instance = await oauth.instances.create({ domain: 'alice.example.com', locale: 'fr' })
  const app = new Koa()
  app.use(oauth.resolveInstance())
  // Registering shows no page, and only pages have forms.
  const pages = { checkCsrf: () => undefined } as unknown as AuthorizePages
  app.use(oauth.routes({ pages }))
  const listening = await listen(app)

  return {
    oauth,
    instance,
    installed,
    lines,
    async add({ platform = 'android', token, softwareId, flagship = false, isAllowed = true }) {
      clock.advance(1000)
      const id = await register(listening, {
        redirect_uris: ['https://client.example/callback'],
        client_name: 'Client',
        software_id: softwareId ?? 'github.com/example/client',
        notification_platform: platform,
        notification_device_token: token,
      })
      if (flagship) await oauth.clients.setFlagship(instance, id, true)
      if (!isAllowed) return id
      const linked = softwareId?.startsWith('registry://') === true
      const scope = linked ? `@io.svc.apps/${softwareId.split('/')[2]}` : SCOPE
      await oauth.clients.issueTokens(instance, id, scope)
      return id
    },
    async tokens() {
      return (await oauth.clients.listNotifiable(instance)).map(({ token }) => token)
    },
    async close() {
      await listening.close()
      await oauth.close()
    },
  }
}

function register({ port }: Listening, metadata: object): Promise<string> {
  const body = JSON.stringify(metadata)
  return new Promise((resolve, reject) => {
    const headers = { host: 'alice.example.com', 'content-type': 'application/json' }
    const options = { port, path: '/auth/register', method: 'POST', headers, agent: false }
    const request = http.request({ host: '127.0.0.1', ...options }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString()
        if (response.statusCode !== 201) reject(new Error(text))
        else resolve((JSON.parse(text) as { client_id: string }).client_id) // RFC 7591.
      })
    })
    request.once('error', reject)
    request.end(body)
  })
}
