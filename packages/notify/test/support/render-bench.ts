import { type AppManifest, createOAuth, type OAuth } from '@svc/oauth-core'
import { type Instance } from '@svc/platform'
import { sqliteStore } from '@svc/store/sqlite'
import type { NotifyApps } from '../../src/ports.ts'
import type { RenderServices } from '../../src/services.ts'
import { recordedLog } from './recorded-log.ts'
import { renderServices } from './render-services.ts'

/** What renders, over a real server's instances, with the apps and files a test puts there. */
export interface RenderBench {
  readonly oauth: OAuth
  readonly services: RenderServices
  readonly alice: Instance
  readonly installed: Map<string, AppManifest>
  /** By `<slug>/<path>`. */
  readonly files: Map<string, string | Uint8Array>
  /** Paths that were asked for. */
  readonly read: string[]
  readonly lines: readonly string[]
  instance(changes: Partial<Pick<Instance, 'context' | 'locale' | 'publicName'>>): Instance
  close(): Promise<void>
}

export const APPS: readonly AppManifest[] = [
  { slug: 'bank', name: 'Bank', version: '1.0.0', permissions: {}, routes: {} },
  { slug: 'drive', name: 'Drive', version: '2.1.0', permissions: {}, routes: {} },
  { slug: 'settings', name: 'Settings', permissions: {}, routes: {} },
]

export async function openRenderBench(apps: NotifyApps = {}): Promise<RenderBench> {
  const { lines, log } = recordedLog()
  const installed = new Map(APPS.map((app) => [app.slug, app]))
  const files = new Map<string, string | Uint8Array>()
  const read: string[] = []
  const store = sqliteStore({ file: ':memory:' })
  const oauth = createOAuth({
    store,
    log,
    keys: [{ kid: 'test', key: Buffer.alloc(32, 7) }],
    apps: {
      installed: async (_, slug) => installed.get(slug),
      listInstalled: async () => [...installed.values()],
      available: async () => undefined,
    },
  })
  const alice = await oauth.instances.create({
    domain: 'alice.example.com',
    email: 'alice@mail.example',
    publicName: 'Alice',
    locale: 'en',
  })
  const services = renderServices(oauth, log, {
    async readFile({ slug }, path) {
      read.push(`${slug}/${path}`)
      const content = files.get(`${slug}/${path}`)
      return typeof content === 'string' ? new TextEncoder().encode(content) : content
    },
    ...apps,
  })
  return {
    oauth,
    services,
    alice,
    installed,
    files,
    read,
    lines,
    instance: (changes) => ({ ...alice, ...changes }),
    async close() {
      await oauth.close()
      await store.close()
    },
  }
}
