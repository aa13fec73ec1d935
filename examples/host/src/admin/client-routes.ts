import { checkBody } from './admin.schema.ts'
import type { ClientService } from '@svc/oauth-core'
import { AdminError } from './admin-error.ts'
import { clientToWire } from './admin-wire.ts'
import type { AdminRouting } from './owner-routes.ts'

/** What the operator may do to clients beyond looking at them and ending them. */
export function addClientRoutes(
  { route, instanceOf }: Pick<AdminRouting, 'instanceOf' | 'route'>,
  clients: Pick<ClientService, 'issueTokens' | 'setFlagship'>,
): void {
  route('post', '/instances/:domain/clients/:id/certify', 'clients:certify', async (ctx) => {
    const { withdraw } = checkBody('certifyClient', ctx.request.body ?? {})
    const instance = await instanceOf(ctx)
    const id = String(ctx['params'].id)
    const client = await clients.setFlagship(instance, id, withdraw !== true)
    if (client === undefined) throw new AdminError('client_not_found', 404)
    ctx.body = clientToWire(client)
  })

  route('post', '/instances/:domain/clients/:id/tokens', 'tokens:create', async (ctx) => {
    const { scope } = checkBody('oauthToken', ctx.request.body)
    const instance = await instanceOf(ctx)
    const tokens = await clients.issueTokens(instance, String(ctx['params'].id), String(scope))
    if (tokens === undefined) throw new AdminError('client_not_found', 404)
    ctx.status = 201
    ctx.body = tokens
  })
}
