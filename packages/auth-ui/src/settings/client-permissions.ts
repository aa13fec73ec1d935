import {
  type AppRegistry,
  type Client,
  type ClientAccess,
  type ClientService,
  manifestPermissions,
  parseScope,
  type Permission,
  serializeScope,
} from '@svc/oauth-core'
import { type Instance } from '@svc/platform'
import type { PageRenderer } from '../pages/page-renderer.ts'
import { isoTime } from './json-api.ts'

/** One thing a client may do, as documents carry it. */
export interface ShownPermission {
  /** The rule. */
  readonly scope: string
  /** The rule in the owner's language. */
  readonly text: string
  /** ISO time; absent: until it is revoked. */
  readonly until?: string
}

/** All that a client may do by its live grants. */
export interface ShownAccess {
  /** Rules as granted, each once; linked clients have one that names their app. */
  readonly scope: string
  readonly permissions: readonly ShownPermission[]
  /** ISO time at which the last of it ends; absent: nothing ends by itself, or there is nothing. */
  readonly expiresAt?: string
}

/** What {@link createClientPermissions} needs. */
export interface ClientPermissionsOptions {
  readonly clients: Pick<ClientService, 'access'>
  readonly apps: Pick<AppRegistry, 'available' | 'installed'>
  readonly pages: Pick<PageRenderer, 'permissionWords'>
  readonly namespace: string
}

/** Says what clients may do. */
export type ClientPermissions = (instance: Instance, client: Client) => Promise<ShownAccess>

export function createClientPermissions(options: ClientPermissionsOptions): ClientPermissions {
  const { clients, apps, pages, namespace } = options

  /** What a rule of a scope allows; a linked client has what its app has, or will have once it is installed. */
  async function permissionsOf(instance: Instance, rule: string): Promise<readonly Permission[]> {
    const prefix = `@${namespace}.apps/`
    if (!rule.startsWith(prefix)) return parseScope(rule) ?? []
    const slug = rule.slice(prefix.length)
    const app = (await apps.installed(instance, slug)) ?? (await apps.available(instance, slug))
    return app === undefined ? [] : manifestPermissions(app.permissions)
  }

  return async function clientPermissions(instance, client) {
    const ends = endsOfRules(await clients.access(instance, client.id))
    const permissions: ShownPermission[] = []
    for (const [rule, end] of ends) {
      for (const permission of await permissionsOf(instance, rule)) {
        permissions.push({
          scope: serializeScope([permission]),
          text: pages.permissionWords(instance.locale, permission),
          ...(Number.isFinite(end) ? { until: isoTime(end) } : {}),
        })
      }
    }
    const last = Math.max(...ends.values())
    return {
      scope: [...ends.keys()].join(' '),
      permissions,
      ...(Number.isFinite(last) ? { expiresAt: isoTime(last) } : {}),
    }
  }
}

/** When each rule ends: with the last grant that has it; infinity: not by itself. Milliseconds since the epoch. */
function endsOfRules(access: readonly ClientAccess[]): ReadonlyMap<string, number> {
  const ends = new Map<string, number>()
  for (const { scope, endsAt = Number.POSITIVE_INFINITY } of access) {
    for (const rule of scope.split(' ').filter((part) => part !== ''))
      ends.set(rule, Math.max(ends.get(rule) ?? 0, endsAt))
  }
  return ends
}
