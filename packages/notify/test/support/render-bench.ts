import type { AppManifest } from '@svc/oauth-core'
import { type Instance } from '@svc/platform'
import { sqliteStore } from '@svc/store/sqlite'
import { afterTest } from '@svc/testkit'
import type { NotifyApps } from '../../src/ports.ts'
import { recordedLog } from './recorded-log.ts'
import { renderServices } from './render-services.ts'
import { openOAuth } from './test-oauth.ts'

export type RenderBench = Awaited<ReturnType<typeof openRenderBench>>

const APPS: readonly AppManifest[] = [
  { slug: 'bank', name: 'Bank', version: '1.0.0', permissions: {}, routes: {} },
  { slug: 'drive', name: 'Drive', version: '2.1.0', permissions: {}, routes: {} },
  { slug: 'settings', name: 'Settings', permissions: {}, routes: {} },
]

/** What renders, over a real server's instances, with the apps and files a test puts there. */
export async function openRenderBench(apps: NotifyApps = {}) {
  const { lines, log } = recordedLog()
  const installed = new Map(APPS.map((app) => [app.slug, app]))
  /** By `<slug>/<path>`. */
  const files = new Map<string, string | Uint8Array>()
  /** Paths that were asked for. */
  const read: string[] = []
  const store = sqliteStore({ file: ':memory:' })
  const oauth = openOAuth({ store, log, installed })
  const alice = await oauth.instances.create({
    domain: 'alice.example.com',
    email: 'alice@mail.example',
    publicName: 'Alice',
    locale: 'en',
  })
  afterTest(async () => {
    await oauth.close()
    await store.close()
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
    instance: (changes: Partial<Pick<Instance, 'context' | 'locale' | 'publicName'>>) => ({
      ...alice,
      ...changes,
    }),
  }
}
