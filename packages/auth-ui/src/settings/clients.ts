import {
  type Client,
  type ClientService,
  type Instance,
  parseScope,
  type RouteContext,
} from '@svc/oauth-core'
import { AuthUiError } from '../errors.ts'
import type { PageRenderer } from '../page-renderer.ts'
import { answerResources, isoTime, type Resource } from './json-api.ts'

export interface ClientSettingsOptions {
  readonly clients: ClientService
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
  const { clients, pages, namespace } = options

  async function toResource(instance: Instance, client: Client): Promise<Resource> {
    const scope = [...new Set((await clients.scopes(instance, client.id)).flatMap(rulesOf))]
    const { metadata } = client
    return {
      type: `${namespace}.oauth.clients`,
      id: client.id,
      attributes: {
        client_name: metadata.client_name,
        ...(metadata.client_kind === undefined ? {} : { client_kind: metadata.client_kind }),
        software_id: metadata.software_id,
        ...(metadata.software_version === undefined
          ? {}
          : { software_version: metadata.software_version }),
        ...(client.os === undefined ? {} : { platform: client.os }),
        created_at: isoTime(client.createdAt),
        ...(client.lastRefreshedAt === undefined
          ? {}
          : { last_used_at: isoTime(client.lastRefreshedAt) }),
        scope: scope.join(' '),
        permissions: scope.map((rule) => ({ scope: rule, text: wordsOf(instance, rule) })),
      },
    }
  }

  function wordsOf(instance: Instance, rule: string): string {
    const permission = parseScope(rule)?.[0]
    // A rule of a linked client names its app, not data.
    return permission === undefined ? rule : pages.permissionWords(instance.locale, permission)
  }

  return {
    async list(ctx) {
      const { instance } = ctx.state
      const found: Client[] = []
      let cursor: string | undefined
      do {
        const page = await clients.list(instance, {
          limit: 100,
          ...(cursor === undefined ? {} : { cursor }),
        })
        found.push(...page.clients.filter(({ pending }) => !pending))
        cursor = page.cursor
      } while (cursor !== undefined)
      const resources: Resource[] = []
      for (const client of found) resources.push(await toResource(instance, client))
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
