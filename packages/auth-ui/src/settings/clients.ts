import {
  type AppRegistry,
  type Client,
  type ClientService,
  type Instance,
  manifestPermissions,
  parseScope,
  type Permission,
  type RouteContext,
  serializeScope,
} from '@svc/oauth-core'
import { AuthUiError } from '../errors.ts'
import type { PageRenderer } from '../page-renderer.ts'
import { answerResources, isoTime, type Resource } from './json-api.ts'

/** What {@link createClientSettings} needs. */
export interface ClientSettingsOptions {
  readonly clients: ClientService
  readonly apps: Pick<AppRegistry, 'available' | 'installed'>
  readonly pages: Pick<PageRenderer, 'permissionWords'>
  readonly namespace: string
}

export interface ClientSettings {
  /** `GET /settings/clients` */
  list(ctx: RouteContext): Promise<void>
  /** `DELETE /settings/clients/:id` */
  revoke(ctx: RouteContext): Promise<void>
}

/** Connected clients for the settings app, without secrets. @see decision D51 */
export function createClientSettings(options: ClientSettingsOptions): ClientSettings {
  const { clients, apps, pages, namespace } = options

  /** What a rule of a scope allows; a linked client has what its app has, or will have once it is installed. */
  async function permissionsOf(instance: Instance, rule: string): Promise<readonly Permission[]> {
    const prefix = `@${namespace}.apps/`
    if (!rule.startsWith(prefix)) return parseScope(rule) ?? []
    const slug = rule.slice(prefix.length)
    const app = (await apps.installed(instance, slug)) ?? (await apps.available(instance, slug))
    return app === undefined ? [] : manifestPermissions(app.permissions)
  }

  async function toResource(instance: Instance, client: Client): Promise<Resource> {
    const rules = [...new Set((await clients.scopes(instance, client.id)).flatMap(rulesOf))]
    const permissions = await Promise.all(rules.map((rule) => permissionsOf(instance, rule)))
    const { metadata } = client
    return {
      type: `${namespace}.oauth.clients`,
      id: client.id,
      attributes: {
        client_name: metadata.client_name,
        ...optional('client_kind', metadata.client_kind),
        software_id: metadata.software_id,
        ...optional('software_version', metadata.software_version),
        ...optional('platform', client.os),
        created_at: isoTime(client.createdAt),
        ...optional('last_used_at', client.lastRefreshedAt && isoTime(client.lastRefreshedAt)),
        scope: rules.join(' '),
        permissions: permissions.flat().map((permission) => ({
          scope: serializeScope([permission]),
          text: pages.permissionWords(instance.locale, permission),
        })),
      },
    }
  }

  async function listAll(instance: Instance): Promise<readonly Client[]> {
    const found: Client[] = []
    let cursor: string | undefined
    do {
      const page = await clients.list(instance, {
        limit: 100,
        ...(cursor === undefined ? {} : { cursor }),
      })
      // A pending one was never allowed anything.
      found.push(...page.clients.filter(({ pending }) => !pending))
      cursor = page.cursor
    } while (cursor !== undefined)
    return found
  }

  return {
    async list(ctx) {
      const { instance } = ctx.state
      const resources: Resource[] = []
      for (const client of await listAll(instance)) {
        resources.push(await toResource(instance, client))
      }
      answerResources(ctx, resources)
    },
    async revoke(ctx) {
      const id = String((ctx as { params?: { id?: unknown } }).params?.id)
      if (!(await clients.revoke(ctx.state.instance, id, 'settings'))) {
        throw new AuthUiError('not_found')
      }
      ctx.status = 204
    },
  }
}

function rulesOf(scope: string): readonly string[] {
  return scope.split(' ').filter((rule) => rule !== '')
}

function optional(name: string, value: string | number | undefined): Record<string, unknown> {
  return value === undefined ? {} : { [name]: value }
}
