import { insufficientScope, type Verb } from '@svc/oauth-core'
import type { Instance, RouteContext, RouteRow } from '@svc/platform'
import {
  type AccountType,
  type AccountTypes,
  isAccountTypeName,
} from '../account-types/account-type.ts'
import { ConnectorError } from '../connector-error.ts'
import { isAccountId } from './account-id.ts'
import type { AccountLoader, LoadedAccount } from './account-loader.ts'
import { type AccountViews, isConnectorOf, viewerOf } from './account-view.ts'
import { type AccountDocument, accountTypeName } from './account.ts'
import type { Deletion } from './delete-account.ts'
import type { Refresher } from './refresh-account.ts'
import { failingClosed } from './refresh-errors.ts'
import { demandRefreshable, hasTokenEndpoint } from './refreshable.ts'

export interface AccountRowsOptions {
  readonly authenticate: (ctx: RouteContext) => Promise<void>
  readonly namespace: string
  readonly types: Pick<AccountTypes, 'get'>
  readonly loader: AccountLoader
  readonly refresher: Refresher
  readonly deletion: Deletion
  readonly views: AccountViews
  /** Counts a refresh of the account. @throws ConnectorError `too_many_requests` */
  readonly countRefresh: (instance: Instance, accountId: string) => Promise<void>
  /** D38. */
  readonly allowsClientSideExchange: boolean
}

const REVISION_CHARACTERS = 256

/** What tokens do with accounts. @see connectors.md 4.8, 4.9, 9, 10 */
export function createAccountRows(options: AccountRowsOptions): readonly RouteRow[] {
  const { authenticate, namespace, types, loader, refresher, deletion, views } = options
  const doctype = `${namespace}.accounts`

  /**
   * The account of the path. One of another type than the path says is as good as none, and whether it exists is not
   * told to those who may not do this anyway.
   */
  async function find(ctx: RouteContext, verb: Verb): Promise<LoadedAccount> {
    const { accountType, accountId } = ctx['params'] as Record<'accountType' | 'accountId', string> // In the path.
    if (!isAccountTypeName(accountType) || !isAccountId(accountId)) throw notFound()
    const loaded = await loader.load(ctx.state.instance, accountId)
    const document = { id: accountId, account_type: accountType }
    if (ctx.state.access?.allows(verb, doctype, document) !== true) throw insufficientScope()
    if (loaded === undefined || accountTypeName(loaded.account) !== accountType) throw notFound()
    return loaded
  }

  async function refresh(ctx: RouteContext): Promise<void> {
    await authenticate(ctx)
    await failingClosed(async () => {
      const { instance, query } = ctx.state
      const loaded = await find(ctx, 'GET')
      const revision = query.get('rev')
      if (revision !== undefined && revision.length > REVISION_CHARACTERS) {
        throw new ConnectorError('invalid_request', { description: 'rev is too long' })
      }
      await options.countRefresh(instance, loaded.account._id)
      const type = await types.get(accountTypeName(loaded.account), instance.context)
      if (type === undefined) throw new ConnectorError('account_type_not_found')
      if (type.fault !== undefined) throw new ConnectorError('account_type_misconfigured')
      if (loaded.account.oauth !== undefined && !hasTokenEndpoint(type)) {
        demandConnector(ctx, loaded.account, type)
        return answer(ctx, loaded.account)
      }
      demandRefreshable(loaded.account)
      const account = await refresher.refresh({
        ...{ instance, type, loaded, isForced: query.get('force') === 'true' },
        ...(revision !== undefined && { revision }),
        ...requestOf(ctx),
      })
      return answer(ctx, account)
    })
  }

  /** SPEC: 6.7 - client id and secret are the connector's alone. */
  function demandConnector(ctx: RouteContext, account: AccountDocument, type: AccountType): void {
    if (!options.allowsClientSideExchange) throw new ConnectorError('account_type_misconfigured')
    const { access } = ctx.state
    if (access !== undefined && isConnectorOf(viewerOf(access), account, type)) return
    throw new ConnectorError('forbidden', {
      description: 'Only the connector of the account exchanges its tokens.',
    })
  }

  async function answer(ctx: RouteContext, account: AccountDocument): Promise<void> {
    const { instance, access } = ctx.state
    if (access === undefined) throw new Error('a request without access was answered')
    const shown = await views.view(instance, account, viewerOf(access), 'refresh')
    const { _id: _, _rev: _shown, ...attributes } = shown
    const { _id: id, _rev: rev } = account
    ctx.status = 200
    ctx.type = 'application/vnd.api+json'
    ctx.body = JSON.stringify({
      data: {
        type: doctype,
        id,
        meta: { rev },
        attributes,
        links: { self: `/data/${doctype}/${id}` },
      },
    })
  }

  async function remove(ctx: RouteContext): Promise<void> {
    await authenticate(ctx)
    await failingClosed(async () => {
      const { instance } = ctx.state
      const { account } = await find(ctx, 'DELETE')
      const type = await types.get(accountTypeName(account), instance.context)
      const about = { instance: instance.domain, ...requestOf(ctx) }
      await deletion.remove(instance, account._id, type, about)
      ctx.status = 204
    })
  }

  const shared = {
    auth: ['access token', 'app token', 'konnector token'],
    cors: 'app-origins',
    family: 'jsonapi',
  } as const
  return [
    {
      ...shared,
      method: 'POST',
      path: '/accounts/:accountType/:accountId/refresh',
      handler: refresh,
      statuses: [200, 400, 401, 403, 404, 422, 429, 502, 504],
      limit: 'account-refresh',
      summary: 'Replaces the tokens of an account by fresh ones of its provider, for all who wait.',
      source: 'connectors.md 4.8',
    },
    {
      ...shared,
      method: 'DELETE',
      path: '/accounts/:accountType/:accountId',
      handler: remove,
      statuses: [204, 400, 401, 403, 404],
      summary: 'Takes an account back at its provider, as far as that listens, and deletes it.',
      source: 'connectors.md 4.9',
    },
  ]
}

function requestOf({ state: { requestId } }: RouteContext): { readonly requestId?: string } {
  return requestId === undefined ? {} : { requestId }
}

function notFound(): ConnectorError {
  return new ConnectorError('account_not_found')
}
