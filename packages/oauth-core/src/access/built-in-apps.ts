import type { Instance } from '@svc/platform'
import type { AppManifest, AppRegistry } from '../ports.ts'

/**
 * The host's registry, and below it the apps that come with packages: every instance has them, and where the host has an
 * app of the same slug the host's counts. Nobody can make a linked client of one, or install it.
 * @see owner.md 8.2, 8.3
 */
export class BuiltInApps implements AppRegistry {
  readonly #host: AppRegistry | undefined
  readonly #apps = new Map<string, AppManifest>()
  /** Absent where the host's is. */
  readonly install?: (instance: Instance, slug: string) => Promise<unknown>

  /** @param host - absent: there are no other apps */
  constructor(host: AppRegistry | undefined) {
    this.#host = host
    if (host?.install !== undefined) {
      this.install = async (instance, slug) => host.install?.(instance, slug)
    }
  }

  /** @throws TypeError when another one has the slug */
  add(app: AppManifest): void {
    if (this.#apps.has(app.slug)) throw new TypeError(`two built-in apps are called ${app.slug}`)
    this.#apps.set(app.slug, app)
  }

  async installed(instance: Instance, slug: string): Promise<AppManifest | undefined> {
    return (await this.#host?.installed(instance, slug)) ?? this.#apps.get(slug)
  }

  async listInstalled(instance: Instance): Promise<readonly AppManifest[]> {
    const ofHost = (await this.#host?.listInstalled(instance)) ?? []
    const slugs = new Set(ofHost.map(({ slug }) => slug))
    return [...ofHost, ...[...this.#apps.values()].filter(({ slug }) => !slugs.has(slug))]
  }

  async available(instance: Instance, slug: string): Promise<AppManifest | undefined> {
    return this.#host?.available(instance, slug)
  }
}
