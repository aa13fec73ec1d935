import type { AccountType, Connectors } from '@svc/connectors'
import type { OAuth } from '@svc/oauth-core'
import type { Instance, RouteContext, RouteRow } from '@svc/platform'
import type { HostKonnector, HostKonnectors } from '../konnectors/registry.ts'

export interface KonnectorListOptions {
  readonly oauth: Pick<OAuth, 'guard'>
  readonly namespace: string
  readonly konnectors: Pick<HostKonnectors, 'list'>
  readonly connectors: Pick<Connectors, 'accountTypes' | 'oauthAvailable'>
}

/** Which connectors an owner has, and which of them can be connected: what an app shows to create accounts. */
export function konnectorListRows(options: KonnectorListOptions): readonly RouteRow[] {
  const { oauth, konnectors, connectors } = options
  const type = `${options.namespace}.konnectors`

  async function list(ctx: RouteContext): Promise<void> {
    await oauth.guard({ verb: 'GET', type })(ctx, async () => {
      const { instance, access } = ctx.state
      const all = (await konnectors.list(instance)).filter(
        ({ slug }) => access?.allows('GET', type, { id: `${type}/${slug}`, slug }) === true,
      )
      const data = await Promise.all(
        all.map(async (konnector) => ({
          type,
          id: `${type}/${konnector.slug}`,
          attributes: await describe(instance, konnector),
        })),
      )
      ctx.status = 200
      ctx.type = 'application/vnd.api+json'
      ctx.body = JSON.stringify({ data })
    })
  }

  async function describe(
    instance: Instance,
    { slug, name, oauth: manifest }: HostKonnector,
  ): Promise<Record<string, unknown>> {
    const found = await typesOf(instance, slug)
    const accountTypes = found.map((each) => each.name)
    const interactive = found.find((each) => each.isInteractive && each.fault === undefined)
    const isAvailable = await connectors.oauthAvailable(instance, slug)
    return {
      ...{ slug, name, account_types: accountTypes },
      // Only what can be connected here and now.
      ...(isAvailable &&
        interactive !== undefined && {
          oauth: { account_type: interactive.name, scope: manifest?.scope ?? [] },
        }),
    }
  }

  /** Those of its slug; else the one of its name that belongs to no other. @see connectors.md 12 */
  async function typesOf(instance: Instance, slug: string): Promise<readonly AccountType[]> {
    const { accountTypes } = connectors
    const found = await accountTypes.findBySlug(slug, instance.context)
    if (found.length > 0) return found
    const named = await accountTypes.get(slug, instance.context)
    return named === undefined || named.slug !== undefined ? [] : [named]
  }

  return [
    {
      method: 'GET',
      path: '/konnectors',
      handler: list,
      auth: ['access token', 'app token'],
      cors: 'app-origins',
      family: 'jsonapi',
      statuses: [200, 400, 401, 403],
      summary: 'Lists the installed connectors, and which of them can be connected by OAuth.',
      source: 'connectors.md 12',
    },
  ]
}
