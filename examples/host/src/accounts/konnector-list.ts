import type { AccountType, Connectors } from '@svc/connectors'
import type { OAuth } from '@svc/oauth-core'
import {
  defineRoute,
  type Instance,
  provedInHandler,
  type Route,
  type RouteContext,
} from '@svc/platform'
import type { HostKonnector, HostKonnectors } from '../konnectors/registry.ts'

/** What the list of connectors is made of. */
export interface KonnectorListServices {
  readonly oauth: Pick<OAuth, 'guard'>
  readonly namespace: string
  readonly konnectors: Pick<HostKonnectors, 'list'>
  readonly connectors: Pick<Connectors, 'accountTypes' | 'oauthAvailable'>
}

/** Which connectors an owner has, and which of them can be connected: what an app shows to create accounts. */
export const konnectorListRoutes: readonly Route<KonnectorListServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/konnectors',
    handler: listKonnectors,
    auth: provedInHandler(
      ['access token', 'app token'],
      'the guard, with the type of the namespace',
    ),
    cors: 'app-origins',
    family: 'jsonapi',
    statuses: [200, 400, 401, 403],
    summary: 'Lists the installed connectors, and which of them can be connected by OAuth.',
    source: 'connectors.md 12',
  }),
]

/** The guard answers refusals by itself. */
async function listKonnectors(ctx: RouteContext, services: KonnectorListServices): Promise<void> {
  const { konnectors, namespace, oauth } = services
  const type = `${namespace}.konnectors`
  await oauth.guard({ verb: 'GET', type })(ctx, async () => {
    const { instance, access } = ctx.state
    const all = (await konnectors.list(instance)).filter(
      ({ slug }) => access?.allows('GET', type, { id: `${type}/${slug}`, slug }) === true,
    )
    const data = await Promise.all(
      all.map(async (konnector) => ({
        type,
        id: `${type}/${konnector.slug}`,
        attributes: await describe(services, instance, konnector),
      })),
    )
    ctx.status = 200
    ctx.type = 'application/vnd.api+json'
    ctx.body = JSON.stringify({ data })
  })
}

async function describe(
  { connectors }: KonnectorListServices,
  instance: Instance,
  { slug, name, oauth: manifest }: HostKonnector,
): Promise<Record<string, unknown>> {
  const found = await typesOf(connectors, instance, slug)
  const accountTypes = found.map((each) => each.name)
  const interactive = found.find((each) => each.isInteractive && each.fault === undefined)
  const isAvailable = await connectors.oauthAvailable(instance, slug)
  return {
    slug,
    name,
    account_types: accountTypes,
    // Only what can be connected here and now.
    ...(isAvailable &&
      interactive !== undefined && {
        oauth: { account_type: interactive.name, scope: manifest?.scope ?? [] },
      }),
  }
}

/** Those of its slug; else the one of its name that belongs to no other. @see connectors.md 12 */
async function typesOf(
  { accountTypes }: Pick<Connectors, 'accountTypes'>,
  instance: Instance,
  slug: string,
): Promise<readonly AccountType[]> {
  const found = await accountTypes.findBySlug(slug, instance.context)
  if (found.length > 0) return found
  const named = await accountTypes.get(slug, instance.context)
  return named === undefined || named.slug !== undefined ? [] : [named]
}
