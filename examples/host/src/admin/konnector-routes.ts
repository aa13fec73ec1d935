import { checkBody } from './admin.schema.ts'
import type { HostServices } from '../services.ts'
import { AdminError } from './admin-error.ts'
import type { AdminRouting } from './owner-routes.ts'

/** Konnectors of an instance, and their tokens. */
export function addKonnectorRoutes(
  { route, instanceOf }: Pick<AdminRouting, 'instanceOf' | 'route'>,
  { konnectors, oauth }: Pick<HostServices, 'konnectors' | 'oauth'>,
): void {
  const unknown = (): AdminError => new AdminError('konnector_not_found', 404)

  route('get', '/instances/:domain/konnectors', 'konnectors:read', async (ctx) => {
    ctx.body = { konnectors: await konnectors.list(await instanceOf(ctx)) }
  })

  route('post', '/instances/:domain/konnectors', 'konnectors:write', async (ctx) => {
    const { slug } = checkBody('installKonnector', ctx.request.body)
    const manifest = await konnectors.install(await instanceOf(ctx), String(slug))
    if (manifest === undefined) throw unknown()
    ctx.status = 201
    ctx.body = manifest
  })

  route('delete', '/instances/:domain/konnectors/:slug', 'konnectors:write', async (ctx) => {
    const instance = await instanceOf(ctx)
    if (!(await konnectors.uninstall(instance, String(ctx['params'].slug)))) throw unknown()
    ctx.status = 204
  })

  route('post', '/instances/:domain/konnectors/:slug/tokens', 'tokens:create', async (ctx) => {
    const instance = await instanceOf(ctx)
    const token = await oauth.konnectorTokens.issue(instance, String(ctx['params'].slug))
    if (token === undefined) throw unknown()
    ctx.status = 201
    ctx.body = { token }
  })
}
