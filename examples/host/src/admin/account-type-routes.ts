import { AccountTypeError, type Connectors, maskEntry } from '@svc/connectors'
import type { Context } from 'koa'
import { AdminError } from './admin-error.ts'
import type { AdminRouting } from './owner-routes.ts'

/** The secrets store of providers; answers never hold a secret. `:id` escapes the `/` of a context. @see connectors.md 3.2.3 */
export function addAccountTypeRoutes(
  route: AdminRouting['route'],
  { accountTypes }: Pick<Connectors, 'accountTypes'>,
): void {
  route('get', '/admin/account_types', 'account-types:read', async (ctx) => {
    ctx.body = { account_types: await accountTypes.list() }
  })

  route('put', '/admin/account_types/:id', 'account-types:write', async (ctx) => {
    const id = idOf(ctx)
    const body: unknown = ctx.request.body
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
    const given = isObject ? (body as { _id?: unknown })._id : undefined // any JSON
    if (given !== undefined && given !== id) {
      throw new AdminError('invalid_request', 400, '_id is not the id of the path')
    }
    try {
      const isNew = await accountTypes.put(isObject ? { ...body, _id: id } : body)
      ctx.status = isNew ? 201 : 200
    } catch (error) {
      if (!(error instanceof AccountTypeError)) throw error
      answerFaults(ctx, error)
      return
    }
    const entry = await accountTypes.getRaw(id)
    ctx.body = entry === undefined ? { _id: id } : maskEntry(entry)
  })

  route('delete', '/admin/account_types/:id', 'account-types:write', async (ctx) => {
    if (!(await accountTypes.delete(idOf(ctx)))) throw new AdminError('account_type_not_found', 404)
    ctx.status = 204
  })
}

function idOf(ctx: Context): string {
  return String(ctx['params'].id)
}

/** One error for each field that is wrong. @see connectors.md 2.2 (4) */
function answerFaults(ctx: Context, { status, errors }: AccountTypeError): void {
  ctx.status = status
  ctx.body = { errors: errors.map((each) => ({ status: String(status), ...each })) }
  ctx.type = 'application/vnd.api+json'
}
