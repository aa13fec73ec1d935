import type { AppManifest, AppRegistry } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'

/** An instance as a request sees it. */
export function sampleInstance(changes: Partial<Instance> = {}): Instance {
  const domain = changes.domain ?? 'alice.example.com'
  const isHttps = changes.isHttps ?? true
  return {
    // Branded texts, made by the instance store otherwise.
    id: 'instance' as Instance['id'],
    revision: '1' as Instance['revision'],
    domain,
    aliases: ['alice.org'],
    locale: 'en',
    status: 'active',
    settings: {},
    createdAt: 0,
    updatedAt: 0,
    origin: `${isHttps ? 'https' : 'http'}://${domain}`,
    isHttps,
    subdomains: 'nested',
    ...changes,
  }
}

export function sampleApp(slug: string): AppManifest {
  return {
    slug,
    name: slug,
    permissions: {},
    routes: { '/': { folder: '/', index: 'index.html', public: false } },
  }
}

/** Every instance has the same apps. */
export function sampleApps(...slugs: string[]): AppRegistry {
  const apps = slugs.map(sampleApp)
  return {
    installed: async (_instance, slug) => apps.find((app) => app.slug === slug),
    listInstalled: async () => apps,
    available: async () => undefined,
  }
}
