import { checkBody } from './admin.schema.ts'
import type { AccountDocument } from '@svc/connectors'
import type { Instance } from '@svc/platform'
import type { Context } from 'koa'
import type { HostServices } from '../services.ts'
import { AdminError } from './admin-error.ts'
import type { AdminRouting } from './owner-routes.ts'

type Parts = Pick<HostServices, 'accounts' | 'konnectors'>

/** Accounts of an instance at providers. Nothing that is listed holds a token. */
export function addAccountRoutes(
  { route, instanceOf }: Pick<AdminRouting, 'instanceOf' | 'route'>,
  { accounts, konnectors }: Parts,
): void {
  const { connectors, store } = accounts

  const shown = (instance: Instance, account: AccountDocument): Promise<unknown> =>
    connectors.view(instance, account, { kind: 'access' })

  async function find(ctx: Context, instance: Instance): Promise<AccountDocument> {
    const account = await store.get(instance, String(ctx['params'].id))
    if (account === undefined) throw new AdminError('account_not_found', 404)
    return account
  }

  route('get', '/instances/:domain/accounts', 'accounts:read', async (ctx) => {
    const instance = await instanceOf(ctx)
    const cursor = ctx.query['cursor']
    const page = await store.list(instance, typeof cursor === 'string' ? { cursor } : {})
    ctx.body = {
      accounts: await Promise.all(page.accounts.map((account) => shown(instance, account))),
      ...(page.cursor !== undefined && { cursor: page.cursor }),
    }
  })

  route('post', '/instances/:domain/accounts', 'accounts:write', async (ctx) => {
    const instance = await instanceOf(ctx)
    const body = checkBody('importAccount', ctx.request.body) as Record<string, string> // texts by the schema
    const { access_token: accessToken, expires_at: expires, name, scope } = body
    const expiresAt = expires === undefined ? undefined : Date.parse(expires)
    if (Number.isNaN(expiresAt)) {
      throw new AdminError('invalid_request', 400, 'expires_at is not a date')
    }
    const account = await connectors.importAccount(instance, {
      accountType: String(body['account_type']),
      refreshToken: String(body['refresh_token']),
      ...(accessToken !== undefined && { accessToken }),
      ...(expiresAt !== undefined && { expiresAt }),
      ...(name !== undefined && { name }),
      ...(scope !== undefined && { scope }),
    })
    ctx.status = 201
    ctx.body = await shown(instance, account)
  })

  route('post', '/instances/:domain/accounts/:id/refresh', 'accounts:write', async (ctx) => {
    const { force } = checkBody('refreshAccount', ctx.request.body ?? {})
    const instance = await instanceOf(ctx)
    const { _id: id } = await find(ctx, instance)
    const account = await connectors.refreshAccount(instance, id, { isForced: force === true })
    ctx.body = await shown(instance, account)
  })

  route('delete', '/instances/:domain/accounts/:id', 'accounts:write', async (ctx) => {
    const instance = await instanceOf(ctx)
    const { _id: id } = await find(ctx, instance)
    await connectors.removeAccount(instance, id)
    ctx.status = 204
  })

  /** What a run of a konnector starts with: of the account, and the secret that its type has beside OAuth. */
  route('post', '/instances/:domain/konnectors/:slug/fields', 'accounts:write', async (ctx) => {
    const { account: id } = checkBody('accountFields', ctx.request.body ?? {})
    const instance = await instanceOf(ctx)
    const slug = String(ctx['params'].slug)
    if ((await konnectors.installed(instance, slug)) === undefined) {
      throw new AdminError('konnector_not_found', 404)
    }
    const mine = await accountsOf(instance, slug)
    const account = id === undefined ? mine[0] : mine.find((each) => each._id === id)
    if (account === undefined) {
      throw new AdminError('account_not_found', 404, `No account is connected for ${slug}.`)
    }
    const secret = await connectors.secretsForConnector(slug, instance.context)
    const fields = await connectors.fieldsForConnector(instance, account)
    ctx.body = { account: account._id, fields: { ...fields, ...secret } }
  })

  /** Accounts that are for a konnector: the one that their type names, or the one of the type's name. */
  async function accountsOf(instance: Instance, slug: string): Promise<readonly AccountDocument[]> {
    const slugs = new Map<string, Promise<string>>()
    const slugOf = (name: string): Promise<string> => {
      const known = slugs.get(name) ?? slugOfType(instance, name)
      slugs.set(name, known)
      return known
    }
    const mine: AccountDocument[] = []
    let cursor: string | undefined
    do {
      const page = await store.list(instance, cursor === undefined ? {} : { cursor })
      for (const account of page.accounts) {
        if ((await slugOf(account.account_type)) === slug) mine.push(account)
      }
      cursor = page.cursor
    } while (cursor !== undefined)
    return mine
  }

  async function slugOfType({ context }: Instance, name: string): Promise<string> {
    return (await connectors.accountTypes.get(name, context))?.slug ?? name
  }
}
