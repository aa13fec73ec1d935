import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type KonnectorManifest,
  type KonnectorRegistry,
  manifestPermissions,
} from '@svc/oauth-core'
import { type Instance, isSlug } from '@svc/platform'
import { indexKey, recordKey, type Store } from '@svc/store'
import { TooManyInstalledError } from '../quota/too-many-installed.ts'

/** What the manifest of a konnector says that matters here. */
export interface HostKonnector extends KonnectorManifest {
  readonly name: string
  /** @see connectors.md 12 */
  readonly oauth?: { readonly scope?: readonly string[] }
  /** @see notifications.md 4.2 */
  readonly notifications?: Readonly<Record<string, unknown>>
}

/** Konnectors of a server: those that lie beside it, and which of them each instance has installed. */
export interface HostKonnectors extends KonnectorRegistry {
  /** One that lies beside the server, whoever has installed it. */
  find(slug: string): HostKonnector | undefined
  /** Absolute path of the folder of such a one. */
  folderOf(konnector: KonnectorManifest): string | undefined
  installed(instance: Instance, slug: string): Promise<HostKonnector | undefined>
  list(instance: Instance): Promise<readonly HostKonnector[]>
  /** Undefined when none of that slug lies beside the server. */
  install(instance: Instance, slug: string): Promise<HostKonnector | undefined>
  /** False when it was not installed. */
  uninstall(instance: Instance, slug: string): Promise<boolean>
  /** Hears of konnectors that were uninstalled. */
  onUninstalled(handler: (instance: Instance, slug: string) => Promise<void>): void
  /** Removes what the registry keeps of an instance. */
  removeAll(instance: Instance): Promise<void>
}

export interface HostKonnectorsOptions {
  readonly store: Store
  /** Holds a folder for each konnector, with its manifest.json. Absolute path. */
  readonly folder: string
  /** Prefix of doctypes that manifests are read with (D20). */
  readonly namespace: string
}

/** Of an instance. */
const MAX_KONNECTORS = 100
const KIND = 'installed-konnector'
const INDEX = 'konnectors'
const DEFAULT_PREFIX = 'io.svc.'

/** One look-up in the store for each request of a konnector: they are few. */
export function createHostKonnectors(options: HostKonnectorsOptions): HostKonnectors {
  const { store, namespace } = options
  const bundled = readManifests(options.folder, namespace)
  const handlers = new Set<(instance: Instance, slug: string) => Promise<void>>()

  async function uninstall(instance: Instance, slug: string): Promise<boolean> {
    if (!isSlug(slug)) return false
    const key = recordKey(instance.id, KIND, slug)
    const { written } = await store.write([{ op: 'delete', key, ifPresent: true }])
    if (written) for (const handler of handlers) await handler(instance, slug)
    return written
  }

  async function list(instance: Instance): Promise<readonly HostKonnector[]> {
    const page = await store.list<{ slug: string }>(indexKey(instance.id, INDEX))
    return page.records.flatMap(({ value }) => bundled.get(value.slug) ?? [])
  }

  return {
    find: (slug) => bundled.get(slug),
    folderOf: ({ slug }) => (bundled.has(slug) ? join(options.folder, slug) : undefined),
    list,
    uninstall,
    async installed(instance, slug) {
      const manifest = bundled.get(slug)
      if (manifest === undefined) return undefined
      const record = await store.get(recordKey(instance.id, KIND, slug))
      return record === undefined ? undefined : manifest
    },
    async install(instance, slug) {
      const manifest = bundled.get(slug)
      if (manifest === undefined) return undefined
      const installed = await list(instance)
      if (installed.length >= MAX_KONNECTORS && !installed.some((each) => each.slug === slug)) {
        throw new TooManyInstalledError(MAX_KONNECTORS)
      }
      const indexes = [{ index: indexKey(instance.id, INDEX), sort: slug }]
      const key = recordKey(instance.id, KIND, slug)
      await store.write([{ op: 'put', key, value: { slug }, indexes }])
      return manifest
    },
    onUninstalled: (handler) => void handlers.add(handler),
    async removeAll(instance) {
      for (const { slug } of await list(instance)) await uninstall(instance, slug)
    },
  }
}

/** @throws TypeError naming the manifest that cannot be used */
function readManifests(folder: string, namespace: string): Map<string, HostKonnector> {
  const manifests = new Map<string, HostKonnector>()
  for (const name of readdirSync(folder).sort()) {
    const text = readFileSync(join(folder, name, 'manifest.json'), 'utf8')
    const { slug, permissions, oauth, notifications, ...about } = JSON.parse(text) as HostKonnector // Our own files, checked here.
    if (slug !== name || !isSlug(slug)) throw new TypeError(`konnector ${name}: slug is malformed`)
    const rules = Object.entries(permissions).map(([title, rule]) => {
      const isOurs = rule.type.startsWith(DEFAULT_PREFIX)
      const type = isOurs ? `${namespace}.${rule.type.slice(DEFAULT_PREFIX.length)}` : rule.type
      return [title, { ...rule, type }] as const
    })
    const manifest: HostKonnector = {
      slug,
      name: String(about.name ?? slug),
      permissions: Object.fromEntries(rules),
      ...(oauth !== undefined && { oauth }),
      ...(notifications !== undefined && { notifications }),
    }
    manifestPermissions(manifest.permissions)
    manifests.set(slug, manifest)
  }
  return manifests
}
