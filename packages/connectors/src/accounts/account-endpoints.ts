import { insufficientScope, type Verb } from '@svc/oauth-core'
import { requirement, type RouteAuth, type RouteContext } from '@svc/platform'
import {
  type AccountType,
  hasTokenEndpoint,
  isAccountTypeName,
} from '../account-types/account-type.ts'
import { ConnectorError } from '../connector-error.ts'
import type { ConnectorsServices } from '../services.ts'
import {
  type AccountDocument,
  accountTypeName,
  isAccountId,
  requireRefreshable,
} from './account.ts'
import { byCaller } from './account-activity.ts'
import { isConnectorOf, viewAccount, viewerOf } from './account-view.ts'
import { deleteAccount } from './delete-account.ts'
import { refreshAccount } from './refresh-account.ts'
import { failingClosed } from './refresh-errors.ts'
import type { LoadedAccount } from './refresh-state.ts'
import { loadAccount } from './token-journal.ts'

const REVISION_CHARACTERS = 256

/** Whoever has a token; what it may do with the account of the path, the handlers ask. @see connectors.md 9 */
export const requireToken: RouteAuth<Pick<ConnectorsServices, 'oauth'>> = requirement(
  ['access token', 'app token', 'konnector token'],
  function requireToken(ctx, { oauth }: Pick<ConnectorsServices, 'oauth'>) {
    return oauth.authenticate(ctx)
  },
)

/** `POST …/refresh`. @see connectors.md 4.8 */
export async function handleRefresh(
  ctx: RouteContext,
  services: ConnectorsServices,
): Promise<void> {
  const { instance, query, requestId } = ctx.state
  await failingClosed(async () => {
    const loaded = await findAllowed(ctx, services, 'GET')
    const revision = query.get('rev')
    if (revision !== undefined && revision.length > REVISION_CHARACTERS) {
      throw new ConnectorError('invalid_request', { description: 'rev is too long' })
    }
    const { _id: accountId, oauth } = loaded.account
    await services.limits.hit(instance, 'account-refresh', accountId)
    const name = accountTypeName(loaded.account)
    const type = await services.accountTypes.get(name, instance.context)
    if (type === undefined) throw new ConnectorError('account_type_not_found')
    if (type.fault !== undefined) throw new ConnectorError('account_type_misconfigured')
    if (oauth !== undefined && !hasTokenEndpoint(type)) {
      requireConnector(ctx, services, loaded.account, type)
      return answer(ctx, services, loaded.account)
    }
    requireRefreshable(loaded.account)
    const account = await refreshAccount(services, {
      instance,
      type,
      loaded,
      isForced: query.get('force') === 'true',
      ...(revision !== undefined && { revision }),
      ...(requestId !== undefined && { requestId }),
    })
    return answer(ctx, services, account)
  })
}

/** `DELETE` of an account. @see connectors.md 4.9 */
export async function handleDelete(ctx: RouteContext, services: ConnectorsServices): Promise<void> {
  const { instance, requestId } = ctx.state
  await failingClosed(async () => {
    const { account } = await findAllowed(ctx, services, 'DELETE')
    const type = await services.accountTypes.get(accountTypeName(account), instance.context)
    const about = { instance: instance.domain, ...(requestId !== undefined && { requestId }) }
    const source = byCaller(ctx, services)
    await deleteAccount(services, instance, account._id, type, about, source)
    ctx.status = 204
  })
}

/**
 * The account of the path. One of another type than the path says is as good as none, and whether it exists is not
 * told to those who may not do this anyway.
 */
async function findAllowed(
  ctx: RouteContext,
  services: ConnectorsServices,
  verb: Verb,
): Promise<LoadedAccount> {
  const { accountType, accountId } = ctx['params'] as Record<'accountType' | 'accountId', string> // In the path.
  if (!isAccountTypeName(accountType) || !isAccountId(accountId)) throw notFound()
  const loaded = await loadAccount(services, ctx.state.instance, accountId)
  const document = { id: accountId, account_type: accountType }
  if (ctx.state.access?.allows(verb, doctypeOf(services), document) !== true) {
    throw insufficientScope()
  }
  if (loaded === undefined || accountTypeName(loaded.account) !== accountType) throw notFound()
  return loaded
}

/** SPEC: 6.7 - client id and secret are the connector's alone. */
function requireConnector(
  ctx: RouteContext,
  { options }: Pick<ConnectorsServices, 'options'>,
  account: AccountDocument,
  type: AccountType,
): void {
  if (!options.allowClientSideExchange) throw new ConnectorError('account_type_misconfigured')
  const { access } = ctx.state
  if (access !== undefined && isConnectorOf(viewerOf(access), account, type)) return
  throw new ConnectorError('forbidden', {
    description: 'Only the connector of the account exchanges its tokens.',
  })
}

async function answer(
  ctx: RouteContext,
  services: ConnectorsServices,
  account: AccountDocument,
): Promise<void> {
  const { instance, access } = ctx.state
  if (access === undefined) throw new Error('a request without access was answered')
  const shown = await viewAccount(services, instance, account, viewerOf(access), 'refresh')
  const { _id: _, _rev: _shown, ...attributes } = shown
  const { _id: id, _rev: rev } = account
  const type = doctypeOf(services)
  ctx.status = 200
  ctx.type = 'application/vnd.api+json'
  ctx.body = JSON.stringify({
    data: { type, id, meta: { rev }, attributes, links: { self: `/data/${type}/${id}` } },
  })
}

function doctypeOf({ namespace }: Pick<ConnectorsServices, 'namespace'>): string {
  return `${namespace}.accounts`
}

function notFound(): ConnectorError {
  return new ConnectorError('account_not_found')
}
