import type { Context } from 'koa'
import type { ResourceAccess, ResourceOptions } from '../src/index.ts'
import { oauthServer, type OAuthServer } from './oauth-server.ts'
import { MCP, PHOTOS } from './sample-resources.ts'

export const BASE = 'https://alice.example.com'

type ServerOptions = NonNullable<Parameters<typeof oauthServer>[0]>

/** A server with two resources: one that clients without a secret may ask for, and one that they may not. */
export function resourceServer(
  options: ServerOptions & { readonly resources?: readonly ResourceOptions[] } = {},
): Promise<OAuthServer> {
  const { resources = [MCP, PHOTOS], ...rest } = options
  return oauthServer({
    ...rest,
    mount(app, oauth) {
      const guards = new Map(
        resources.map((one) => {
          const resource = oauth.resources.add(one)
          return [one.path, { resource, guard: oauth.resourceGuard(resource) }]
        }),
      )
      const files = oauth.guard({ verb: 'GET', type: 'io.svc.contacts' })
      app.use(async (ctx: Context, next) => {
        if (ctx.path === '/contacts') {
          return files(ctx, async () => {
            ctx.body = { kind: 'interface' }
          })
        }
        const found = guards.get(ctx.path)
        if (found === undefined) return next()
        await found.guard(ctx, async () => {
          // Set by the guard.
          const access = ctx.state['access'] as ResourceAccess
          const verb = ctx.method === 'POST' ? 'POST' : 'GET'
          if (!access.allows(verb, 'io.svc.contacts')) {
            const { instance } = ctx.state as { instance: OAuthServer['instance'] }
            const needs = [{ type: 'io.svc.contacts', verbs: [verb] }] as const
            const challenge = await oauth.stepUp(found.resource, instance, access, needs)
            ctx.status = 403
            if (challenge !== undefined) ctx.set('WWW-Authenticate', challenge)
            return
          }
          const { resource, permissions } = access
          ctx.body = { resource, permissions }
        })
      })
    },
  })
}
