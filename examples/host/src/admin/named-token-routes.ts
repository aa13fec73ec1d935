import type { HostEventLog } from '../log/log.ts'
import { checkBody } from './admin.schema.ts'
import { AdminError } from './admin-error.ts'
import type { AdminScope } from './admin-scopes.ts'
import type { NamedToken, NamedTokens } from './named-tokens.ts'
import type { AdminRouting } from './owner-routes.ts'

/** Tokens for those who do one thing, such as the portal of a hoster. @see operation.md 7.9 */
export function addNamedTokenRoutes(
  { route }: Pick<AdminRouting, 'route'>,
  tokens: NamedTokens,
  log: HostEventLog,
): void {
  route('get', '/admin-tokens', 'everything', async (ctx) => {
    ctx.body = { tokens: (await tokens.list()).map(toWire) }
  })

  route('post', '/admin-tokens', 'everything', async (ctx) => {
    const { name, only, until } = checkBody('createNamedToken', ctx.request.body)
    const { token, secret } = await tokens.create(
      String(name),
      only as AdminScope[], // by the schema
      readInstant(String(until)),
    )
    const wire = toWire(token)
    log.info('admin_token.created', { token: token.name, scopes: wire.only, until: wire.until })
    ctx.status = 201
    ctx.body = { ...wire, token: secret }
  })

  route('delete', '/admin-tokens/:name', 'everything', async (ctx) => {
    const name = String(ctx['params'].name)
    if (!(await tokens.revoke(name))) {
      throw new AdminError('admin_token_not_found', 404, `no admin token is called ${name}`)
    }
    log.info('admin_token.revoked', { token: name })
    ctx.status = 204
  })
}

/** An instant of ISO 8601, or a day, which ends when the next one begins. */
function readInstant(text: string): number {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text)
  const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text)
  const at = isDay || isInstant ? Date.parse(isDay ? `${text}T24:00:00Z` : text) : Number.NaN
  if (!Number.isNaN(at)) return at
  throw new AdminError('invalid_request', 400, 'until is no day such as 2027-01-31, nor an instant')
}

function toWire({ name, scopes, createdAt, until }: NamedToken) {
  return {
    name,
    only: [...scopes],
    created_at: new Date(createdAt).toISOString(),
    until: new Date(until).toISOString(),
  }
}
