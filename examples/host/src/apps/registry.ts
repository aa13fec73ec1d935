import { readdirSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { type AppFolder, inNamespace } from '@svc/auth-ui'
import type { AppManifest, AppRegistry } from '@svc/oauth-core'
import type { ActivityEvent, ActivityLog, Instance, InstanceId } from '@svc/platform'
import { type Change, indexKey, type Json, recordKey, type Store } from '@svc/store'
import { BoundedMap } from '../http/bounded-map.ts'
import { TooManyInstalledError } from '../quota/too-many-installed.ts'
import { ManifestError, readAppPackage } from './manifest.schema.ts'

/** Apps of a server: those that lie beside it, and what each instance has installed. */
export interface HostApps extends AppRegistry {
  /** The installed app with its folder, or undefined. */
  find(instance: Instance, slug: string): Promise<AppFolder | undefined>
  /** Folder of an app that this registry answered. */
  folderOf(app: AppManifest): string | undefined
  /**
   * Installs an app that lies beside the server by its slug, or one from any folder by its absolute path.
   * @throws ManifestError when there is no such app, or its manifest is malformed
   */
  install(instance: Instance, slugOrFolder: string): Promise<AppManifest>
  /** False when it was not installed. */
  uninstall(instance: Instance, slug: string): Promise<boolean>
  /** The changes that give a new instance its first apps; part of the write that creates it. */
  initialChanges(id: InstanceId): readonly Change[]
  /** Hears of installed and uninstalled apps, in the process that did it, after what was cached is dropped. */
  onChange(handler: (instance: Instance, slug: string) => Promise<void>): void
  /** Removes what the registry keeps of an instance. */
  removeAll(instance: Instance): Promise<void>
  close(): Promise<void>
}

export interface HostAppsOptions {
  readonly store: Store
  readonly clock: { now(): number }
  /** Folders of apps, each with a manifest.json; absolute paths. */
  readonly folders: readonly string[]
  /** Prefix of doctypes that manifests beside the server are read with (D20). */
  readonly namespace: string
  /** Slugs every new instance starts with. */
  readonly initial: readonly string[]
  /** Notes what happened to an app, in the write that does it. */
  readonly activity: Pick<ActivityLog, 'pending'>
}

/** What is stored: for an app beside the server its current manifest counts, for a folder the one at installation. */
interface InstalledApp {
  readonly slug: string
  readonly installedAt: number
  readonly folder?: string
  readonly manifest?: AppManifest
}

interface Cached {
  readonly at: number
  readonly apps: Promise<ReadonlyMap<string, AppFolder>>
}

const CHANNEL = 'host.apps'
const KIND = 'installed-app'
/** Of an instance. */
const MAX_APPS = 100
const MAX_INSTANCES = 1000
/** A removed app's tokens die within it on every process. @see security.md 78 */
const TRUST_MS = 1000

export async function createHostApps(options: HostAppsOptions): Promise<HostApps> {
  const { store, clock, initial, activity } = options
  const bundled = new Map(
    options.folders.map((folder) => {
      const manifest = inNamespace(readAppPackage(folder).manifest, options.namespace)
      return [manifest.slug, { folder, manifest }]
    }),
  )
  const handlers = new Set<(instance: Instance, slug: string) => Promise<void>>()
  const folders = new WeakMap<AppManifest, string>()
  for (const { manifest, folder } of bundled.values()) folders.set(manifest, folder)
  const cache = new BoundedMap<string, Cached>(MAX_INSTANCES)
  const stopListening = await store.bus.subscribe(CHANNEL, (id) => {
    cache.delete(String(id))
  })
  const stopGaps = store.bus.onGap(() => cache.clear())

  async function load(instance: Instance): Promise<ReadonlyMap<string, AppFolder>> {
    const apps = new Map<string, AppFolder>()
    let cursor: string | undefined
    do {
      const page = await store.list(
        indexKey(instance.id, 'apps'),
        cursor === undefined ? {} : { cursor },
      )
      for (const { value } of page.records) {
        const installed = value as unknown as InstalledApp // Only this file writes these records.
        const app = toPackage(installed)
        if (app !== undefined) apps.set(installed.slug, app)
      }
      cursor = page.cursor
    } while (cursor !== undefined)
    return apps
  }

  function toPackage({ slug, folder, manifest }: InstalledApp): AppFolder | undefined {
    if (folder === undefined || manifest === undefined) return bundled.get(slug)
    folders.set(manifest, folder)
    return { folder, manifest }
  }

  function appsOf(instance: Instance): Promise<ReadonlyMap<string, AppFolder>> {
    const now = clock.now()
    const known = cache.get(instance.id)
    if (known !== undefined && Math.abs(now - known.at) < TRUST_MS) return known.apps
    const apps = load(instance)
    const entry: Cached = { at: now, apps }
    cache.set(instance.id, entry)
    apps.catch(() => {
      if (cache.get(instance.id) === entry) cache.delete(instance.id)
    })
    return apps
  }

  async function changed(instance: Instance, slugs: readonly string[]): Promise<void> {
    cache.delete(instance.id)
    await store.bus.publish(CHANNEL, instance.id)
    for (const handler of handlers) {
      for (const slug of slugs) await handler(instance, slug)
    }
  }

  function putChange(id: InstanceId, app: InstalledApp): Change {
    return {
      op: 'put',
      key: recordKey(id, KIND, app.slug),
      value: app as unknown as Json, // An interface has no index signature; this one is plain JSON.
      indexes: [{ index: indexKey(id, 'apps'), sort: app.slug }],
    }
  }

  return {
    async find(instance, slug) {
      return (await appsOf(instance)).get(slug)
    },
    folderOf: (app) => folders.get(app),
    async installed(instance, slug) {
      return (await appsOf(instance)).get(slug)?.manifest
    },
    async listInstalled(instance) {
      return [...(await appsOf(instance)).values()].map(({ manifest }) => manifest)
    },
    async available(_instance, slug) {
      return bundled.get(slug)?.manifest
    },
    async install(instance, slugOrFolder) {
      const isFolder = isAbsolute(slugOrFolder)
      const app = isFolder ? readAppPackage(slugOrFolder) : bundled.get(slugOrFolder)
      if (app === undefined) throw new ManifestError('there is no such app')
      const { manifest, folder } = app
      const source = isFolder ? { folder, manifest } : {}
      const installed = await appsOf(instance)
      if (!installed.has(manifest.slug) && installed.size >= MAX_APPS) {
        throw new TooManyInstalledError(MAX_APPS)
      }
      await store.write([
        putChange(instance.id, { slug: manifest.slug, installedAt: clock.now(), ...source }),
        ...activity.pending(instance, eventOf('app.installed', manifest)),
      ])
      await changed(instance, [manifest.slug])
      return manifest
    },
    async uninstall(instance, slug) {
      const key = recordKey(instance.id, KIND, slug)
      const app = (await appsOf(instance)).get(slug)?.manifest ?? { slug, name: slug }
      const { written } = await store.write([
        { op: 'delete', key, ifPresent: true },
        ...activity.pending(instance, eventOf('app.removed', app)),
      ])
      if (written) await changed(instance, [slug])
      return written
    },
    initialChanges: (id) =>
      initial
        .filter((slug) => bundled.has(slug))
        .map((slug) => putChange(id, { slug, installedAt: clock.now() })),
    async removeAll(instance) {
      const slugs = [...(await load(instance)).keys()]
      for (const slug of slugs) {
        await store.write([{ op: 'delete', key: recordKey(instance.id, KIND, slug) }])
      }
      await changed(instance, slugs)
    },
    onChange: (handler) => void handlers.add(handler),
    async close() {
      stopGaps()
      await stopListening()
    },
  }
}

function eventOf(
  event: 'app.installed' | 'app.removed',
  { slug, name }: Pick<AppManifest, 'name' | 'slug'>,
): ActivityEvent {
  return { event, actor: { kind: 'operator' }, target: { kind: 'app', id: slug, name } }
}

/** The folders below one that hold a manifest. */
export function listAppFolders(root: string): string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(root, entry.name))
    .sort()
}
