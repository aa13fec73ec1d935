import type { Client, ClientService } from '@svc/oauth-core'
import type { Instance, RouteContext } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import type { ClientPermissions } from './client-permissions.ts'
import { answerResources, isoTime, type Resource } from './json-api.ts'

/** What {@link createClientSettings} needs. */
export interface ClientSettingsOptions {
  readonly clients: ClientService
  readonly clientPermissions: ClientPermissions
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
  const { clients, clientPermissions, namespace } = options

  async function toResource(instance: Instance, client: Client): Promise<Resource> {
    const { scope, permissions, expiresAt } = await clientPermissions(instance, client)
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
        ...optional('last_used_at', client.lastUsedAt && isoTime(client.lastUsedAt)),
        ...optional('last_used_from', client.lastUsedFrom),
        ...optional('expires_at', expiresAt),
        scope,
        permissions,
      },
    }
  }

  return {
    async list(ctx) {
      const { instance } = ctx.state
      const resources: Resource[] = []
      for (const client of await listAllowed(clients, instance)) {
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

/** Every client the owner allowed something once, newest first; a pending one never was. */
export async function listAllowed(
  clients: Pick<ClientService, 'list'>,
  instance: Instance,
): Promise<readonly Client[]> {
  const found: Client[] = []
  let cursor: string | undefined
  do {
    const after = cursor === undefined ? {} : { cursor }
    const page = await clients.list(instance, { limit: 100, ...after })
    found.push(...page.clients.filter(({ pending }) => !pending))
    cursor = page.cursor
  } while (cursor !== undefined)
  return found
}

function optional(name: string, value: string | number | undefined): Record<string, unknown> {
  return value === undefined ? {} : { [name]: value }
}
