import {
  type Client,
  type ClientAccess,
  manifestPermissions,
  parseScope,
  type Permission,
  serializeScope,
  type Verb,
} from '@svc/oauth-core'
import { defineRoute, type Instance, type Route, type RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { AuthUiServices } from '../services.ts'
import { originOf } from '../web/activity.ts'
import { requireSettingsApp } from '../web/caller.ts'
import { answerResources, isoTime, type Resource } from './json-api.ts'
import { idOf } from './settings-owner.ts'

/** One thing a client may do, as documents carry it. */
export interface ShownPermission {
  /** The rule. */
  readonly scope: string
  /** The rule in the owner's language. */
  readonly text: string
  /** The kind of data, in the owner's language. */
  readonly kind: string
  readonly verbs: readonly Verb[]
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

/** Connected clients for the settings app, without secrets. @see decision D51 */
export const clientRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/settings/clients',
    handler: listClients,
    auth: requireSettingsApp,
    statuses: [200, 400, 401, 403],
    family: 'jsonapi',
    cors: 'app-origins',
    summary: 'Lists the connected clients and what they may do.',
    source: 'decision D51',
  }),
  defineRoute({
    method: 'DELETE',
    path: '/settings/clients/:id',
    handler: revokeClient,
    auth: requireSettingsApp,
    statuses: [204, 400, 401, 403, 404],
    family: 'jsonapi',
    cors: 'app-origins',
    activity: 'client.removed',
    summary: 'Ends a client and every token it holds.',
    source: 'decision D51',
  }),
]

async function listClients(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance } = ctx.state
  const resources: Resource[] = []
  for (const client of await listAllowed(services, instance)) {
    resources.push(await clientResource(services, instance, client))
  }
  answerResources(ctx, resources)
}

async function revokeClient(ctx: RouteContext, { oauth }: AuthUiServices): Promise<void> {
  const origin = originOf(oauth.clientAddress(ctx), ctx.get('User-Agent'))
  const by = { actor: { kind: 'owner' as const }, origin }
  if (!(await oauth.clients.revoke(ctx.state.instance, idOf(ctx), 'settings', by))) {
    throw new AuthUiError('not_found')
  }
  ctx.status = 204
}

/** Every client the owner allowed something once, newest first, without public registrations that have no access now. */
export async function listAllowed(
  { oauth }: Pick<AuthUiServices, 'oauth'>,
  instance: Instance,
): Promise<readonly Client[]> {
  const found: Client[] = []
  let cursor: string | undefined
  do {
    const after = cursor === undefined ? {} : { cursor }
    const page = await oauth.clients.list(instance, { limit: 100, ...after })
    found.push(...page.clients.filter(({ isIdle, pending }) => !pending && isIdle !== true))
    cursor = page.cursor
  } while (cursor !== undefined)
  return found
}

/** What a client may do, in words. */
export async function accessOfClient(
  services: Pick<AuthUiServices, 'apps' | 'namespace' | 'oauth' | 'pages'>,
  instance: Instance,
  client: Client,
): Promise<ShownAccess> {
  return shownAccess(services, instance, await services.oauth.clients.access(instance, client.id))
}

/** What the owner allowed, in words. */
export async function shownAccess(
  services: Pick<AuthUiServices, 'apps' | 'namespace' | 'pages'>,
  instance: Instance,
  access: readonly ClientAccess[],
): Promise<ShownAccess> {
  const ends = endsOfRules(access)
  const permissions: ShownPermission[] = []
  for (const [rule, end] of ends) {
    for (const permission of await permissionsOf(services, instance, rule)) {
      permissions.push({
        scope: serializeScope([permission]),
        text: services.pages.permissionWords(instance.locale, permission),
        kind: services.pages.kindWords(instance.locale, permission),
        verbs: permission.verbs,
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

/** What the rules of a scope allow, in the owner's language. */
export async function rightsInWords(
  services: Pick<AuthUiServices, 'apps' | 'namespace' | 'pages'>,
  instance: Instance,
  scope: string,
): Promise<readonly string[]> {
  const words: string[] = []
  for (const rule of scope.split(' ').filter((part) => part !== '')) {
    for (const permission of await permissionsOf(services, instance, rule)) {
      words.push(services.pages.permissionWords(instance.locale, permission))
    }
  }
  return words
}

/** What a rule of a scope allows; a linked client has what its app has, or will have once it is installed. */
async function permissionsOf(
  { apps, namespace }: Pick<AuthUiServices, 'apps' | 'namespace'>,
  instance: Instance,
  rule: string,
): Promise<readonly Permission[]> {
  const prefix = `@${namespace}.apps/`
  if (!rule.startsWith(prefix)) return parseScope(rule) ?? []
  const slug = rule.slice(prefix.length)
  const app = (await apps.installed(instance, slug)) ?? (await apps.available(instance, slug))
  return app === undefined ? [] : manifestPermissions(app.permissions)
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

/** One client as documents show it. */
export async function clientResource(
  services: AuthUiServices,
  instance: Instance,
  client: Client,
): Promise<Resource> {
  const access = await services.oauth.clients.access(instance, client.id)
  const { scope, permissions, expiresAt } = await shownAccess(services, instance, access)
  const { metadata } = client
  return {
    type: `${services.namespace}.oauth.clients`,
    id: client.id,
    attributes: {
      client_name: services.pages.clientName(instance.locale, client),
      ...optional('former_name', client.formerName),
      ...optional('client_kind', kindOf(client, access)),
      ...optional('host', hostOf(client)),
      software_id: metadata.software_id,
      ...optional('software_version', metadata.software_version),
      ...optional('platform', client.os),
      created_at: isoTime(client.createdAt),
      ...optional('last_used_at', client.lastUsedAt && isoTime(client.lastUsedAt)),
      ...optional('last_used_from', client.lastUsedFrom),
      ...optional('expires_at', expiresAt),
      scope,
      permissions,
    },
  }
}

/** What kind of client it is: an assistant where it has, or can only have, access to a resource. */
export function kindOf(
  { metadata }: Pick<Client, 'metadata'>,
  access: readonly ClientAccess[],
): string | undefined {
  const isAssistant =
    metadata.token_endpoint_auth_method === 'none' ||
    access.some(({ resource }) => resource !== undefined)
  return isAssistant ? 'assistant' : metadata.client_kind
}

/** Host of the document that describes a client; undefined for one that registered. */
export function hostOf({ document }: Pick<Client, 'document'>): string | undefined {
  return document === undefined ? undefined : new URL(document.url).host
}

function optional(name: string, value: string | number | undefined): Record<string, unknown> {
  return value === undefined ? {} : { [name]: value }
}
